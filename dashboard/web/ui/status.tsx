import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'plain'

/** The classes of each tone. The page of components lists them. */
export const TONES: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  busy: 'bg-accent-soft text-accent',
  plain: 'bg-sunken text-muted',
}

/** The tone of each state of servers, sites, operations and services. */
const STATES: Record<string, Tone> = {
  online: 'good',
  active: 'good',
  success: 'good',
  running: 'busy',
  queued: 'busy',
  provisioning: 'busy',
  deleting: 'busy',
  pending: 'warn',
  paused: 'warn',
  suspended: 'warn',
  missing: 'bad',
  offline: 'bad',
  failed: 'bad',
  cancelled: 'plain',
  trashed: 'plain',
  stopped: 'plain',
}

interface BadgeProps {
  tone?: Tone
  children: ReactNode
  title?: string
}

export function Badge({ tone = 'plain', children, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex items-center gap-1.5 rounded-md px-2 py-0.5 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

/** The name of a state, with a dot that pulses while something runs. */
export function Status({ value, tone = STATES[value] ?? 'plain' }: { value: string; tone?: Tone }) {
  return (
    <Badge tone={tone}>
      <span
        aria-hidden
        className={cx('size-1.5 rounded-full bg-current', tone === 'busy' && 'animate-pulse')}
      />
      {value}
    </Badge>
  )
}
