/* The options of a live run's page. */
#ifndef CLI_LIVE_PAGE_H
#define CLI_LIVE_PAGE_H

#include "live_job.h"

enum { LIVE_PAGE_MOST_TOKEN = 128 };

/* The page as the options want it. `token` holds what --page-token-file has, as long as the page is
 * there; a file that is not there is made with a new token. Without --page *wanted is false. After
 * cli_files_check. CLI_DONE or an exit code. */
int live_page_make(const live_job *job, spk_live_page_options *page,
                   char token[LIVE_PAGE_MOST_TOKEN + 1], bool *wanted);

#endif
