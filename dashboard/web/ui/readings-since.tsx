import { Time } from './time.tsx'

/** Says above charts that they begin with the first reading; `since` is null if that was before the period. */
export function ReadingsSince({ since }: { since: string | null }) {
  if (since === null) return null
  return (
    <p className="col-span-full text-xs text-muted">
      The readings began <Time at={since} />.
    </p>
  )
}
