import { ArrowLeft, ArrowRight } from 'lucide-react'
import { ButtonLink } from './button.tsx'

interface PagerProps {
  /** The number of entries, as text. */
  about?: string
  /** The entry before this page; undefined on the newest page. */
  before: string | undefined
  /** The last entry of this page, if there are older ones. */
  older: string | undefined
}

/** Links to the newest and the next older page of a list; the address has the page in `before`. */
export function Pager({ about, before, older }: PagerProps) {
  if (about === undefined && before === undefined && older === undefined) return null
  const search = (before: string | undefined) => (now: object) => ({ ...now, before })
  return (
    <nav aria-label="Pages" className="flex items-center gap-2 border-t border-line p-3">
      <span className="flex-1 pl-1 text-xs text-muted tabular-nums">{about}</span>
      {before !== undefined && (
        <ButtonLink to="." search={search(undefined)} icon={<ArrowLeft />}>
          Newest
        </ButtonLink>
      )}
      {older !== undefined && (
        <ButtonLink to="." search={search(older)}>
          Older
          <ArrowRight />
        </ButtonLink>
      )}
    </nav>
  )
}
