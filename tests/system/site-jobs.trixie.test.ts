// tier: gate
import { runsSiteJobs } from '#tests/support/system/site-jobs.ts'

runsSiteJobs('trixie', '8.4')
