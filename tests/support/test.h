/*
 * What each test includes: cmocka with what it asks for, the usual headers of C, the public
 * interface, and the small tools that most tests use. Tests whose cases share one context include
 * support/context.h, which includes this.
 */
#pragma once

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/build_config.h"
#include "spikemine/spikemine.h"
#include "support/data.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/recordings.h"
#include "support/scale.h"

static inline spk_duration in_ms(int64_t n)
{
    return (spk_duration){n, -3, 0};
}
