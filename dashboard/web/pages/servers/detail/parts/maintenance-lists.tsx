import { formatCount } from '#dashboard/web/ui/format.ts'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { Maintenance } from '#shared/maintenance.ts'

/** The pending updates, security updates first, in a collapsed list. */
export function Packages({ packages }: Pick<Maintenance, 'packages'>) {
  if (packages.length === 0) return null
  const ordered = packages.toSorted((one, other) => Number(other.security) - Number(one.security))
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-xs text-muted hover:text-text">
        {formatCount(packages.length, 'package')} with a newer version
      </summary>
      <ul className="mt-1 max-h-64 overflow-y-auto text-xs">
        {ordered.map(({ name, installed, candidate, security }) => (
          <li key={name} className="flex flex-wrap gap-x-2 py-0.5">
            <span className="font-medium break-all">{name}</span>
            <span className="break-all text-muted">
              {installed || 'new'} → {candidate}
            </span>
            {security && <span className="text-warn">security</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

export function OldFiles({ programs }: { programs: Maintenance['old_files'] }) {
  if (programs.length === 0) return null
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">
        {formatCount(programs.length, 'program')} still {programs.length === 1 ? 'runs' : 'run'}{' '}
        replaced files
      </p>
      <ul className="mt-1 max-h-64 overflow-y-auto text-xs">
        {programs.map(({ name, domain, since, problem }) => (
          <li key={name} className="py-0.5">
            <span className="font-medium break-all">{domain ? `PHP of ${domain}` : name}</span>{' '}
            <span className="text-muted">
              since <Time at={since} />. {problem || 'It is restarted automatically'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Restarts({ restarts }: Pick<Maintenance, 'restarts'>) {
  if (restarts.length === 0) return null
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">Started again after a failure</p>
      <ul className="mt-1 text-xs">
        {restarts.map(({ name, count, last_at }) => (
          <li key={name} className="py-0.5">
            <span className="font-medium break-all">{name}</span>{' '}
            <span className="text-muted">
              {formatCount(count, 'time')} within an hour, last <Time at={last_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
