// tier: gate
import { runsSiteJobs } from '#tests/support/system/site-jobs.ts'

runsSiteJobs('bookworm', '8.2')
