import { requireMatch } from './require-match.ts'
import { formatOf } from './template.ts'

const words = formatOf({
  word: /^[\w./:@+=,-]+$/,
  rule: 'Must be letters, digits and . _ / : @ + = , -',
})

/**
 * The template tag of files in /etc/cron.d: no value has a sign of the shell, or `%`, which cron(8)
 * takes for a line break. Throws 422 on `command` for a line whose command could have more than 999
 * characters: cron ignores the whole file then.
 */
export const crontab: typeof words = Object.assign(
  (...template: Parameters<typeof words>) =>
    requireMatch(
      'command',
      words(...template),
      /^(?:.{0,999}\n)*.{0,999}$/,
      'Must have short lines',
    ),
  { part: words.part },
)

/** The template tag of files of logrotate(8). */
export const logrotate = formatOf({
  word: /^[\w./@+-]+$/,
  rule: 'Must be letters, digits and . _ / @ + -',
})
