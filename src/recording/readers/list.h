/*
 * Every reader of the library, in the order in which they are asked whether they know an input:
 * X(symbol) stands for spk_reader_SYMBOL.
 */
#ifndef SPK_RECORDING_READERS_LIST_H
#define SPK_RECORDING_READERS_LIST_H

#define SPK_READERS(X)                                                                             \
    X(npy)                                                                                         \
    X(npz) X(phy) X(alf) X(nwb) X(matlab) X(matlab5) X(text) X(table) X(lines) X(transactions)

#endif
