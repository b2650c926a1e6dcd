"""bench/plot_gpu.py and bench/profiler_table.py: tables are read as they are written, every figure
is drawn whose table is there, and a damaged table is named with its line."""

import importlib.util
import io
import pathlib
import xml.etree.ElementTree

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
JOB = (
    "events\tdelay\tsupport\tthreshold\tengine\tgpus\tthreads\tmedian_s\tmin_s\tmax_s\tspeedup\t"
    "opening_s\tcandidates_s\tbounding_s\tcounting_s\tcandidates\teliminated\teliminated_share\t"
    "frequent\n"
)
LEVELS = (
    "events\tdelay\tsupport\tthreshold\tengine\tgpus\tsize\tmedian_s\tcandidates\teliminated\t"
    "eliminated_share\tfrequent\tbounded_per_gpu\tcounted_per_gpu\n"
)


def load(name):
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plot():
    pytest.importorskip("matplotlib")
    return load("plot_gpu")


def job_row(engine, threshold=50, gpus=1, delay="(5ms,10ms]", events=1000, seconds=0.5):
    times = f"{seconds}\t{seconds * 0.9}\t{seconds * 1.1}\t{1 / seconds}"
    return (
        f"{events}\t{delay}\t0.1%\t{threshold}\t{engine}\t{gpus}\t4\t{times}\t0.01\t0.02\t0.1\t0.3\t"
        "1000\t900\t0.9000\t50\n"
    )


def job_table(figure, engines, **columns):
    head = f"# figure {figure}: what it is, with a colon: here\n"
    return (
        head + JOB + "".join(job_row(engine, t, **columns) for engine in engines for t in (50, 100))
    )


def write_tables(folder):
    """One small table of every kind; several in one file, and facts before the first."""
    hybrid = ["cuda-hybrid", "cuda-hybrid+two-pass"]
    levels = "".join(
        f"1000\t(5ms,10ms]\t0.1%\t50\t{engine}\t1\t{size}\t0.1\t100\t90\t0.9000\t5\t100.0\t10.0\n"
        for engine in hybrid
        for size in (1, 2, 3)
    )
    gpus = ["cuda-ptpe", "cuda-hybrid+two-pass", "cuda-sweep"]
    crossover = "".join(
        f"{size}\t{n}\t{engine}\t0.{n}\t0.1\t0.2\t0.01\n"
        for size in (2, 3)
        for n in (16, 32)
        for engine in ("cuda-ptpe", "cuda-mtpe")
    )
    texts = {
        "crossover": "# spikemine 1: spikemine-bench-gpu crossover\n"
        "# figure crossover-points: points\n# cuda-ptpe from 9 * (1 / size) on\n"
        "size\tcrossover\tcrossed\tresident_threads\tshare\tfitted_share\n"
        "2\t40\tyes\t100\t0.4\t0.4\n3\t16\tno\t100\t0.16\t0.2\n"
        "# figure crossover: curves\n"
        "size\tcandidates\tengine\tcounting_s\tmin_s\tmax_s\topening_s\n" + crossover,
        "strategies": job_table("strategies", ["cuda-ptpe", "cuda-mtpe"]),
        "two-pass": job_table("two-pass", hybrid)
        + "# figure two-pass-levels: x\n"
        + LEVELS
        + levels,
        "gpus": job_table("gpus", gpus) + "".join(job_row(e, 50, 2, seconds=0.3) for e in gpus),
        "cpu": job_table("cpu", ["fsm+two-pass"], gpus=0) + job_row("cuda-sweep", 50, 2),
        "tracking": job_table("tracking", ["sweep", "cuda-tracking/scan"]),
        "bound": job_table("bound", ["cuda-ptpe", "cuda-ptpe+two-pass"]),
        "sweep": job_table("sweep", ["sweep"], gpus=0) + job_row("cuda-sweep", events=5000),
    }
    profiled = load("profiler_table")
    counted = [["one-pass", 2, "count_episodes", 1, 0.1, 900, 90, 5000, 500, 0.1, 20]]
    counted.append(["two-pass", 2, "bound_episodes", 1, 0.1, 0, 0, 4000, 100, 0.025, 28])
    lines = [profiled.COLUMNS, *counted]
    texts["profiler"] = "# figure profiler: x\n" + "".join(
        "\t".join(map(str, line)) + "\n" for line in lines
    )
    for name, text in texts.items():
        (folder / f"{name}.tsv").write_text(text)


def test_every_figure_is_drawn(plot, tmp_path):
    write_tables(tmp_path)
    tables = plot.read_folder(tmp_path)
    paths = plot.draw_all(tables, tmp_path / "figures", "svg")
    drawn = {path.stem.removeprefix("gpu-") for path in paths}
    assert drawn == set(plot.FIGURES)
    for path in paths:
        labels = {node.text for node in xml.etree.ElementTree.parse(path).iter() if node.text}
        units = ("(s)", "speed-up", "(requests)", "resident threads")
        assert any(unit in text for text in labels for unit in units), path


def test_the_same_tables_give_the_same_file(plot, tmp_path):
    (tmp_path / "a.tsv").write_text(job_table("strategies", ["cuda-ptpe"]))
    tables = plot.read_folder(tmp_path)
    first, second = (plot.draw_all(tables, tmp_path / name, "svg")[0] for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_tables_are_read_as_written(plot, tmp_path):
    write_tables(tmp_path)
    points = plot.read_folder(tmp_path)["crossover-points"]
    assert [(p["size"], p["crossover"], p["crossed"]) for p in points] == [
        (2, 40, "yes"),
        (3, 16, "no"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size\tshare\n", "1: no line '# figure NAME' above"),
        ("# figure x: y\na\tb\n1\t2\n3\n", "4: 1 cells under 2 columns"),
    ],
)
def test_damaged_tables_are_named(plot, tmp_path, text, message):
    (tmp_path / "bad.tsv").write_text(text)
    with pytest.raises(ValueError, match=message):
        plot.read_folder(tmp_path)


def ncu_csv(launches):
    table = load("profiler_table")
    text = '==PROF== Connected\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    for number, (kernel, microseconds, loads) in enumerate(launches):
        values = {
            table.LOADS: ("", f"{loads:,}"),
            table.STORES: ("", "10"),
            table.BRANCHES: ("", "1,000"),
            table.DIVERGENT: ("", "250"),
            table.ACTIVE: ("", "16"),
            table.DURATION: ("us", str(microseconds)),
        }
        for metric, (unit, value) in values.items():
            text += f'"{number}","{kernel}","{metric}","{unit}","{value}"\n'
    return table, io.StringIO(text)


def test_profiler_rows_add_up_launches_of_a_size():
    count = "void <unnamed>::count_episodes<unsigned int, (unsigned int)3>(papers_stream)"
    bound = "void (anonymous namespace)::bound_episodes<unsigned long, 16>(papers_stream)"
    table, text = ncu_csv([(count, 2, 1500), (bound, 1, 0), (count, 6, 500)])
    rows = list(table.rows("two-pass", table.add_up(table.read_launches(text))))
    assert [row[:4] for row in rows] == [
        ["two-pass", "3", "count_episodes", 2],
        ["two-pass", "16", "bound_episodes", 1],
    ]
    assert rows[0][4:7] == ["0.000008000", "2000", "20"]
    assert rows[0][-2:] == ["0.250000", "16.00"]


def test_a_metric_that_was_not_measured_is_an_error():
    table, text = ncu_csv([("count_episodes(int)", 1, 0)])
    broken = io.StringIO(text.read().replace('"1,000"', '"n/a"'))
    with pytest.raises(ValueError, match="is 'n/a'"):
        table.read_launches(broken)
