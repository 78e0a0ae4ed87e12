import { formatOf } from './template.ts'

/**
 * The template tag of files in /etc/cron.d: no value has a sign of the shell, or `%`, which cron(8)
 * takes for a line break.
 */
export const crontab = formatOf({
  word: /^[\w./:@+=,-]+$/,
  rule: 'Must be letters, digits and . _ / : @ + = , -',
})

/** The template tag of files of logrotate(8). */
export const logrotate = formatOf({
  word: /^[\w./@+-]+$/,
  rule: 'Must be letters, digits and . _ / @ + -',
})
