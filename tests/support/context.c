/* The context that the cases of one test program share. */
#include "support/context.h"

spk_context *context;

int context_setup(void **state)
{
    (void)state;
    return spk_context_create(&context) != SPK_OK;
}

int context_teardown(void **state)
{
    (void)state;
    spk_context_free(context);
    context = NULL;
    return 0;
}

void check(spk_status status)
{
    if (status != SPK_OK)
        fail_msg("%s", spk_context_message(context));
}

void check_fails(spk_status status, spk_status wanted, const char *text)
{
    assert_int_equal(status, wanted);
    if (strstr(spk_context_message(context), text) == NULL)
        fail_msg("'%s' lacks '%s'", spk_context_message(context), text);
}
