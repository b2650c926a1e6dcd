/*
 * Every writer of the library: X(symbol) stands for spk_writer_SYMBOL. The first one writes files
 * whose names tell no format.
 */
#ifndef SPK_RECORDING_WRITERS_LIST_H
#define SPK_RECORDING_WRITERS_LIST_H

#define SPK_WRITERS(X) X(text) X(npz) X(nwb)

#endif
