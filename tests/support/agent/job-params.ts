import { hostileText, noText } from '#tests/support/hostile.ts'

const job = { name: 'nightly', schedule: '0 3 * * *', command: 'true' }
const names = [...hostileText, ...noText, '', '-a', 'a-', 'A', 'a_b', 'x'.repeat(33)]
const schedules = [
  ...['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 31 2 *'],
  ...[
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '5/2 * * * *',
    '@reboot',
    '1;2 * * * *',
  ],
  ...['* * * * *\nOnBootSec=1', '%h * * * *', null, 7],
]
const commands = ['', ' ', 'a\nb', 'a\0', 'a\u2028b', 'x'.repeat(1001), null, 7, ['true']]

const jobs = [
  ...names.map((name) => ({ ...job, name })),
  ...schedules.map((schedule) => ({ ...job, schedule })),
  ...commands.map((command) => ({ ...job, command })),
  ...[0, 1441, 1.5, '60', null].map((max_minutes) => ({ ...job, max_minutes })),
  ...['true', 1, null].map((enabled) => ({ ...job, enabled })),
]

/** Values that each param of the cron jobs of a site refuses. */
export const hostileJobs = {
  name: names,
  add: [null, 7, true, 'x', [], {}, ...jobs],
  remove: names,
  with_jobs: [...hostileText, null, 7, {}, [], 'true', 0, 1],
  jobs: [
    ...[null, 7, true, 'x', {}, [7], [{}], [job, job]],
    ...jobs.map((one) => [one]),
    Array.from({ length: 21 }, (_, at) => ({ ...job, name: `job-${at}` })),
  ],
}

export const validJobs = { name: 'nightly', jobs: [job] }
