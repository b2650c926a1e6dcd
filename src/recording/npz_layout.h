/*
 * Recordings as npz files: the arrays that we write, and that the npz reader knows again.
 *
 * An npz file is a zip archive, here without compression, of arrays in the npy format. Our files
 * have these arrays, each of one dimension:
 *
 *     spikemine       int32[1]     version of this layout, 1; its presence marks the layout
 *     ticks           int64[n]     the events' times in ticks, ascending
 *     index           uint32[n]    the events' units: places in `labels`; within one tick ascending
 *     labels          U[u]         the units' labels in their natural order; units may be silent
 *     rate            uint64[2]    ticks a second: numerator, denominator
 *     segment_start   int64[s]     first tick of each segment, ascending
 *     segment_stop    int64[s]     first tick behind it
 *     segment_bounds  U[2 * s]     start and stop of each segment in turn, exactly: a duration
 *                                  ("1/30s"); "tick": the tick above; "": nobody gave it, and it is
 *                                  the first event's tick, or the last one's + 1
 *
 * Where segments are not the trials, in this order, two further arrays tell which they are parts
 * of:
 *
 *     segment_trial   uint64[s]    the trial of each segment, from 0
 *     trials          uint64[1]    how many there are; nothing may be left of some
 *
 * Segments that overlap share their events: each event is there once, and belongs to every segment
 * that holds its tick. The remaining arrays repeat this for programs that want seconds. A reader
 * of our layout ignores them. With them pynapple.load_file opens the file as a TsGroup:
 *
 *     type            U[1]         "TsGroup"
 *     t               float64[n]   the events' times in seconds, rounded to the nearest double
 *     keys            uint32[u]    0, 1, ... u - 1
 *     start, end      float64[s]   the segments in seconds
 *
 * Arrays of integers and floats are in the byte order of the machine that wrote them, as their
 * headers say.
 */
#pragma once

#define SPK_NPZ_VERSION        1

#define SPK_NPZ_MARK           "spikemine"
#define SPK_NPZ_TICKS          "ticks"
#define SPK_NPZ_INDEX          "index"
#define SPK_NPZ_LABELS         "labels"
#define SPK_NPZ_RATE           "rate"
#define SPK_NPZ_SEGMENT_START  "segment_start"
#define SPK_NPZ_SEGMENT_STOP   "segment_stop"
#define SPK_NPZ_SEGMENT_BOUNDS "segment_bounds"
#define SPK_NPZ_SEGMENT_TRIAL  "segment_trial"
#define SPK_NPZ_TRIALS         "trials"

#define SPK_NPZ_BOUND_TICK     "tick"
#define SPK_NPZ_BOUND_OPEN     ""
