import { Link } from '@tanstack/react-router'
import { Method } from './method.tsx'
import type { Call } from './operations.ts'

interface Group {
  tag: string
  calls: readonly Call[]
}

/** The call in the address may be far down; the page itself does not scroll. */
function show(link: HTMLElement | null): void {
  const list = link?.closest('[data-list]')
  if (!link || !list) return
  const [at, seen] = [link.getBoundingClientRect(), list.getBoundingClientRect()]
  if (at.top < seen.top || at.bottom > Math.min(seen.bottom, innerHeight))
    list.scrollTop += at.top - seen.top - list.clientHeight / 2
}

/** Every matching call by subject, as a link. */
export function CallList({ groups, op }: { groups: readonly Group[]; op: string | undefined }) {
  if (groups.length === 0) return <p className="p-4 text-muted">No call has all these words.</p>
  return groups.map(({ tag, calls }) => (
    <section key={tag} aria-label={tag} className="py-2">
      <h2 className="px-4 pb-1 text-xs font-semibold text-muted">{tag}</h2>
      <ul>
        {calls.map(({ operationId, method, summary }) => (
          <li key={operationId}>
            <Link
              to="/docs"
              search={(now) => ({ ...now, op: operationId })}
              {...(op === operationId && { ref: show })}
              className="flex items-baseline gap-2 px-4 py-1.5 hover:bg-sunken aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
            >
              <Method name={method} className="w-12 shrink-0" />
              <span className="min-w-0">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ))
}
