import { cx } from './cx.ts'

const FILLS = {
  good: 'bg-good-fill',
  bad: 'bg-bad-fill',
  plain: 'bg-line-strong',
  busy: 'bg-accent-solid',
} as const

interface ProgressBarProps {
  label: string
  total: number
  /** The number of items with each result; the others wait. */
  parts: Partial<Record<keyof typeof FILLS, number>>
}

/** The progress of the whole. */
export function ProgressBar({ label, total, parts }: ProgressBarProps) {
  const { good = 0, bad = 0, plain = 0 } = parts
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={good + bad + plain}
      className="flex h-1.5 min-w-24 flex-1 overflow-hidden rounded-full bg-sunken"
    >
      {(Object.keys(FILLS) as (keyof typeof FILLS)[]).map((fill) => (
        <div
          key={fill}
          className={cx('transition-[width] duration-300', FILLS[fill])}
          style={{ width: `${(100 * (parts[fill] ?? 0)) / Math.max(1, total)}%` }}
        />
      ))}
    </div>
  )
}
