import { cx } from '#dashboard/web/ui/cx.ts'

const TONES: Record<string, string> = {
  GET: 'text-good',
  POST: 'text-accent',
  PUT: 'text-warn',
  PATCH: 'text-warn',
  DELETE: 'text-bad',
}

export function Method({ name, className }: { name: string; className?: string }) {
  return (
    <span className={cx('font-mono text-xs font-semibold', TONES[name], className)}>{name}</span>
  )
}
