import { cx } from './cx.ts'
import { formatShare } from './format.ts'
import type { Tone } from './status.tsx'

const FILLS: Partial<Record<Tone, string>> = { good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad' }
const NEARLY = 0.8
const FULL = 0.92

/** The tone of a share: a warning when most is used, bad when nearly all is. */
export function toneOf(share: number): Tone {
  if (share >= FULL) return 'bad'
  return share >= NEARLY ? 'warn' : 'plain'
}

interface MeterProps {
  /** Between 0 and 1. */
  share: number
  /** Shown on hover: `4.4 of 8.2 GB`. */
  about?: string
  /** An old value: the present one is unknown. */
  isOld?: boolean
  className?: string
}

/** A share as a number and a bar. */
export function Meter({ share, about, isOld = false, className }: MeterProps) {
  const tone = isOld ? 'plain' : toneOf(share)
  const percent = Math.round(Math.min(share, 1) * 100)
  return (
    <div className={cx('flex items-center gap-2', className)} title={about}>
      <div aria-hidden className="h-1.5 min-w-8 flex-1 overflow-hidden rounded-full bg-line">
        <div
          className={cx(
            'h-full rounded-full',
            isOld ? 'bg-line-strong/50' : (FILLS[tone] ?? 'bg-accent/70'),
          )}
          style={{ width: `${percent}%` }}
        />
      </div>
      <span
        className={cx(
          'w-9 text-right text-xs tabular-nums',
          isOld && 'text-muted',
          tone === 'bad' && 'font-semibold text-bad',
          tone === 'warn' && 'text-warn',
        )}
      >
        {formatShare(share)}
      </span>
    </div>
  )
}
