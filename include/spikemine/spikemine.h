/*
 * spikemine: repeated firing patterns in recordings of many neurons.
 *
 * One include for everything. A program needs little of it; learn the core first.
 *
 * The core: a recording is read or made, a job finds what repeats in it, a table tells it.
 *
 *   context.h     threads, memory limit, progress, notes, cancel, the last error message
 *   status.h      what a function says of its success
 *   duration.h    exact durations ("5ms") and their meaning in ticks
 *   recording.h   spike times of many units: read, make, slice, write
 *   formats.h     files of recordings, in every format
 *   files.h       whether the files of a job get in each other's way
 *   engine.h      engines of both languages, and how one is chosen
 *   episode.h     serial episodes A -(5ms,10ms]-> B: lists, text form, search, count
 *   pattern.h     SPADE patterns: bins, windows, lists, closed frequent patterns
 *   analysis.h    search, test and choice of what is listed, as one job: what the command does
 *   suggest.h     delays for a recording, and the test to begin with
 *   explore.h     a first look: delays, test and whole sequences in one job that keeps to a time
 *   report.h      result files: tab separated text and JSON
 *   sample.h      a small recording to try things with
 *
 * Steps of an analysis by themselves, and their options:
 *
 *   describe.h    what is in a recording; the grid of its times; units that may be sorted wrongly
 *   occurrences.h  where episodes and patterns occur
 *   spectrum.h    how many patterns there are, without a list of them
 *   surrogate.h   surrogates: copies of a recording without its fine temporal structure
 *   maxima.h      largest counts in many surrogates: checkpoints, shards
 *   significance.h  p-values of patterns: corrections, spectrum, test, filter
 *   exact.h       the exact test of episodes and patterns
 *   calibrate.h   calibration: how often that test is alarmed by chance
 *   peel.h        peeling: the exact test again, without the events of what it found
 *   compare.h     which episodes or patterns occur more often in one of two conditions
 *   choose.h      a support and delays to search with, by what chance does
 *   sequence.h    whole sequences: all members, occurrences with spikes missing, one p
 *   select.h      what of a list of results is shown: large ones, maximal ones, the best
 *   report_tests.h  result files of calibrations, sequences, spectra and p-values
 *   tell.h        what a test found, in sentences
 *   figure.h      figures of episodes and of patterns
 *   page.h        reports to look at: one HTML file
 *   operation.h   the options of each operation, and which of them go together
 *
 * Built on both:
 *
 *   simulate.h    recordings with known ground truth
 *   live.h        patterns while the recording runs: stream, watch
 *   partitions.h  partitions of a live stream, mined while it runs
 *   live_source.h  spikes while the recording runs: rigs, sockets, replay
 *   live_page.h   a live stream to look at: a page that the program itself serves
 *   live_session.h  all of it together: source, watch, partitions, sinks, recorder
 *   gpu.h         the GPUs of this machine
 *   ranks.h       several processes that work on one job
 *   plan.h        how long such a job takes, and how much memory, from pieces of it
 *   energy.h      how many joules a job takes
 *   papers.h      settings of the papers' GPU strategies: tuning and compaction
 *
 * A program makes a context first. Then come a recording, options, the work and the results. In the
 * end it frees everything. This program counts how often unit 49 fires 5 to 10 ms after unit 56:
 *
 *     #include <spikemine/spikemine.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         spk_context *context = NULL;
 *         spk_recording *recording = NULL;
 *         spk_episode_list *list = NULL;
 *         spk_read_options options;
 *         spk_read_options_init(&options, sizeof options);
 *         options.sort = true;
 *
 *         spk_status status = spk_context_create(&context);
 *         if (status == SPK_OK)
 *             status = spk_recording_read_text(context, "spikes.txt", &options, &recording);
 *         if (status == SPK_OK)
 *             status = spk_episode_list_create(context, &list);
 *         if (status == SPK_OK)
 *             status = spk_episode_parse(context, recording, "56 (5ms,10ms] 49", list);
 *         if (status == SPK_OK)
 *             status = spk_episode_count(context, recording, NULL, list, NULL);
 *         if (status == SPK_OK)
 *             printf("%llu\n", (unsigned long long)spk_episode_list_columns(list).count[0]);
 *         else
 *             fprintf(stderr, "%s: %s\n", spk_status_text(status), spk_context_message(context));
 *
 *         spk_episode_list_free(list);
 *         spk_recording_free(recording);
 *         spk_context_free(context);
 *         return status == SPK_OK ? 0 : 1;
 *     }
 *
 * Rules that hold everywhere:
 *   - A function that can fail returns spk_status. The message on the context names the place, the
 *     cause and the remedy. A function that makes something sets *out to NULL when it fails.
 *     Nothing prints, exits or aborts.
 *   - A context may be NULL in every function: defaults, and no message.
 *   - Handles are freed by the _free of the same type, which accepts NULL. What becomes a file is
 *     ended by _commit, or by _free, which leaves no file.
 *   - Arguments are borrowed for the call, unless the declaration says for how long. Pointers to
 *     columns and labels live as long as the object that gave them, or until it changes.
 *   - Options are structs that grow from version to version. Call their _init function with the
 *     size first, then set what differs. NULL in place of options stands for the defaults.
 *   - Times are int64 ticks, counts uint64, unit numbers uint32, extents start <= t < stop.
 *   - Text is UTF-8, whatever the locale. In file names "-" is standard input or output. A result
 *     file appears under its name when it is complete.
 *   - Results never depend on the number of threads or the engine.
 *
 * Threads:
 *   - Recordings, windows and truths never change after they were made, so any number of threads
 *     may use one at the same time. Every other handle serves one thread at a time. The comment
 *     above the typedef of a handle has its rule.
 *   - A context serves one call at a time, so each thread takes a context of its own: a separate
 *     one, or a child of a common parent (spk_context_create_child). A cancel of the parent ends
 *     the work of all children. spk_context_cancel may be called from any thread and from a signal
 *     handler.
 *   - Functions that take no handle may be called from any thread.
 *   - A job calls its sink and its callbacks from any of its threads, but never two at once, and
 * never after it has returned. They must return: neither longjmp nor exceptions may pass through.
 */
#ifndef SPIKEMINE_H
#define SPIKEMINE_H

#include "spikemine/analysis.h"
#include "spikemine/context.h"
#include "spikemine/duration.h"
#include "spikemine/engine.h"
#include "spikemine/episode.h"
#include "spikemine/export.h"
#include "spikemine/files.h"
#include "spikemine/formats.h"
#include "spikemine/pattern.h"
#include "spikemine/recording.h"
#include "spikemine/report.h"
#include "spikemine/sample.h"
#include "spikemine/status.h"
#include "spikemine/version.h"

#include "spikemine/calibrate.h"
#include "spikemine/choose.h"
#include "spikemine/compare.h"
#include "spikemine/describe.h"
#include "spikemine/exact.h"
#include "spikemine/explore.h"
#include "spikemine/figure.h"
#include "spikemine/maxima.h"
#include "spikemine/occurrences.h"
#include "spikemine/operation.h"
#include "spikemine/page.h"
#include "spikemine/peel.h"
#include "spikemine/report_tests.h"
#include "spikemine/select.h"
#include "spikemine/sequence.h"
#include "spikemine/significance.h"
#include "spikemine/spectrum.h"
#include "spikemine/suggest.h"
#include "spikemine/surrogate.h"
#include "spikemine/tell.h"

#include "spikemine/energy.h"
#include "spikemine/gpu.h"
#include "spikemine/live.h"
#include "spikemine/live_page.h"
#include "spikemine/live_session.h"
#include "spikemine/live_source.h"
#include "spikemine/papers.h"
#include "spikemine/partitions.h"
#include "spikemine/plan.h"
#include "spikemine/ranks.h"
#include "spikemine/simulate.h"

#endif
