"""Runs the commands of the pages that show no output, in a folder that has files of the names they use.

Sessions (```console) are run by tools/check-pages.py itself. Surrogates are few, and recorded spikes do not wait.
"""

import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

# What cannot run everywhere, with the reason. All else must end with status 0.
NOT_RUN = [
    (r"open-ephys://|intan://|lsl:|tcp-listen:", "a rig sends"),
    (r"\bmpirun\b", "needs MPI"),
    (r"--gpus|--engine cuda|spikemine tune", "needs a GPU"),
    (r"--page 8080", "serves a page until it is stopped"),
    (r" \.\.\.|\[OPTION|^spikemine:", "is an output or a form, not a command"),
]
FEWER = [
    (r"--surrogates \d+", "--surrogates 19"),
    (r"--suggest$", "--suggest --stop 20s"),
    (r"--calibrate \d+", "--calibrate 2"),
    (r"(spikemine explore \S+)( --time 600s)?", r"\1 --time 2s --force"),
    (r"spikemine sequences (?!.*--surrogates)", "spikemine sequences --surrogates 19 "),
    (r"^spikemine sample$", "spikemine sample --force"),  # the files of all pages have it
    (r'/16"', '/1"'),  # the first of one shard, for the first task
]
ENVIRONMENT = {"SLURM_ARRAY_TASK_ID": "1"}


def commands_of(text):
    """(line, command) of each command in indented blocks and in blocks of a shell."""
    fence, whole, first = None, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
            continue
        if fence not in (None, "", "sh", "bash") or (fence is None and not line.startswith("    ")):
            continue
        line = line.strip()
        if not whole and not re.match(r"(\w+=\S+ )*(spikemine\b|mpirun\b)", line):
            continue
        first = first if whole else number
        whole += line.rstrip("\\")
        if not line.endswith("\\"):
            yield first, whole
            whole = ""


def why_not(command):
    return next((reason for pattern, reason in NOT_RUN if re.search(pattern, command)), None)


# ---- files ---------------------------------------------------------------------------------------


def write_npy(path, kind, code, values):
    head = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def copy_source(root, folder, text):
    """What the source has beside the program, for a page that says so by a link to the page of its recordings."""
    if "data/README.md)" in text:
        for name in ("data", "examples"):
            shutil.copytree(root / name, folder / name)


def make_files(folder, songbird, run):
    """Files of all names that pages use: ten units for a minute."""
    run("spikemine simulate network --units 10 --rate 6 --chains 1 --seed 1 -o recording.txt")
    run("spikemine sample")
    lines = (folder / "recording.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line[0].isdigit()]
    for name in ("rec.txt", "shifted.txt", "today.txt", "spikes-40.05.txt", "REC"):
        shutil.copy(folder / "recording.txt", folder / name)
    for name in ("recording.npz", "recording.nwb", "session.nwb"):
        run(f"spikemine convert recording.txt {name}")
    table = "".join(f"{time},{unit}\n" for time, unit in rows)
    (folder / "recording.csv").write_text("time,unit\n" + table)
    (folder / "export.csv").write_text("t,cell\n" + table)
    (folder / "list.txt").write_text("0 (5ms,10ms] 1\n")
    (folder / "trials.txt").write_text("".join(f"{k} {k + 1}\n" for k in range(60)))
    (folder / "labels.txt").write_text("a\nb\n" * 30)
    (folder / "ran.txt").write_text("0 20\n30 60\n")
    song = [line.split() for line in songbird.read_text().splitlines()]
    frames = sorted((round(float(time) * 30), unit) for unit, time in song)
    (folder / "song.txt").write_text("".join(f"{time} {unit}\n" for time, unit in frames))
    phy = folder / "phy_folder"
    phy.mkdir()
    write_npy(phy / "spike_times.npy", "i8", "q", [round(float(time) * 30000) for time, _ in rows])
    write_npy(phy / "spike_clusters.npy", "i4", "i", [int(unit) for _, unit in rows])
    (phy / "params.py").write_text("sample_rate = 30000.\n")
    (phy / "cluster_group.tsv").write_text("cluster_id\tgroup\n" + "".join(f"{u}\tgood\n" for u in range(10)))


# ---- running -------------------------------------------------------------------------------------


def forms_of(command):
    """The command with less to do; of a shard all shards, which others join."""
    for pattern, fewer in FEWER:
        command = re.sub(pattern, fewer, command)
    if re.match(r"spikemine (watch|live) [\w.]+ ", command) and "--speed" not in command:
        command = command.replace(" --", " --speed max --", 1)
    shard = re.search(r"--shard 1/(\d+)", command)
    for k in range(1, int(shard.group(1)) + 1 if shard else 2):
        other = re.sub(r"--shard 1/", f"--shard {k}/", command)
        yield re.sub(r"(-o \w*)1\.spk", rf"\g<1>{k}.spk", other)


def check(pages, root, command, fail):
    """Runs the commands of the pages, each page in a folder of its own; how many ran and did not."""
    counts = {"run": 0}
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        (place / "bin").mkdir()
        (place / "bin/spikemine").symlink_to(Path(command).resolve())
        environment = {**os.environ, **ENVIRONMENT, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}

        def run(text, folder=place / "files"):
            return subprocess.run(
                ["bash", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=120,
            )

        (place / "files").mkdir()
        make_files(place / "files", root / "data/songbird_spikes.txt", run)
        for page in pages:
            folder, whole = place / page.name, page.read_text()
            for number, text in commands_of(whole):
                reason = why_not(text)
                counts[reason or "run"] = counts.get(reason or "run", 0) + 1
                if reason is None and not folder.exists():
                    shutil.copytree(place / "files", folder)
                    copy_source(root, folder, whole)
                for form in forms_of(text) if reason is None else ():
                    for name in re.findall(r"(?:-o|--figure|^spikemine convert \S+) (\S+)", form):
                        subprocess.run(["rm", "-rf", name], cwd=folder, check=True)
                    ran = run(form, folder)
                    if ran.returncode != 0:
                        fail(f"{page.relative_to(root)}:{number}", f"'{form}' ends with {ran.returncode}: {ran.stderr}")
    return counts
