import type { Fatal } from '#dashboard/web/api/logs.ts'
import type { Tone } from '#dashboard/web/ui/status.tsx'
import type { LogLevel, LogSource } from '#shared/logs/site-logs.ts'

export const SOURCE_NAMES: Record<LogSource, string> = {
  access: 'Requests',
  error: 'nginx errors',
  php: 'PHP errors',
  wordpress: 'WordPress debug log',
  cron: 'Scheduled jobs',
  mail: 'Mail',
}

/** Why a log can be empty. */
export const EMPTY_REASONS: Record<LogSource, string> = {
  access: 'There were no requests in this period.',
  error: 'nginx has reported no error in this period.',
  php: 'PHP has reported nothing in this period.',
  wordpress: 'WordPress writes it only while its debug log is on.',
  cron: 'The jobs of WordPress have printed nothing. Their runs are in the tab Jobs.',
  mail: 'The site has sent no mail through the mail queue in this period.',
}

export const LEVELS: Record<LogLevel, { name: string; tone: Tone }> = {
  info: { name: 'info', tone: 'plain' },
  warning: { name: 'warning', tone: 'warn' },
  error: { name: 'error', tone: 'bad' },
  fatal: { name: 'fatal', tone: 'bad' },
}

export const PERIODS = [
  { value: '1', name: 'Last hour' },
  { value: '24', name: 'Last 24 hours' },
  { value: '168', name: 'Last 7 days' },
] as const

export const PARTS: Record<Fatal['kind'], string> = {
  plugin: 'plugin',
  theme: 'theme',
  'must-use plugin': 'must-use plugin',
  core: 'WordPress itself',
  other: 'another file of the site',
}
