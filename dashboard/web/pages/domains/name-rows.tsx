import { Button } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import type { SiteDomains } from '#shared/domains/api/domains.ts'
import type { DomainStates, NameState } from '#shared/domains/name-states.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { CertificateState, DnsState } from './name-states.tsx'

interface NameRowsProps {
  domains: SiteDomains
  /** The states of the names; undefined until the server has looked them up. */
  states: DomainStates | undefined
  /** Makes a name the primary domain; undefined when it cannot be changed now. */
  onPrimary: ((name: string) => void) | undefined
  /** The zones in which records can be created. */
  zones: readonly string[]
  onRecord: (name: string) => void
}

/** A row for each name, with what it is for and whether visitors reach it. */
export function NameRows({ domains, states, onPrimary, zones, onRecord }: NameRowsProps) {
  const stateOf = (name: string) => states?.names.find((state) => state.name === name)
  const canBePrimary = (name: string) => name !== domains.primary && !isWildcard(name)
  return (
    <RecordTable
      label="Domains"
      isStacked
      rows={rowsOf(domains)}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Name',
          className: 'break-all',
          show: ({ name }) => (
            <>
              <span className="font-medium">{unicodeOf(name)}</span>
              {unicodeOf(name) !== name && <p className="text-xs text-muted">{name}</p>}
            </>
          ),
        },
        { name: 'Use', className: 'break-words', show: ({ use }) => use },
        {
          name: 'DNS',
          show: ({ name }) => (
            <>
              <DnsState of={stateOf(name)} />
              {isMissing(stateOf(name)) && isIn(zones, name) && (
                <div className="mt-2">
                  <Button
                    needs="operate"
                    aria-label={`Create record: ${name}`}
                    onClick={() => onRecord(name)}
                  >
                    Create record
                  </Button>
                </div>
              )}
            </>
          ),
        },
        { name: 'Certificate', show: ({ name }) => <CertificateState of={stateOf(name)} /> },
        ...(onPrimary
          ? [
              {
                name: 'Action',
                isUnnamed: true,
                cell: ({ name }: NamedUse) =>
                  cx('text-right', !canBePrimary(name) && 'max-md:!hidden'),
                show: ({ name }: NamedUse) =>
                  canBePrimary(name) && (
                    <Button
                      needs="operate"
                      aria-label={`Make primary: ${name}`}
                      onClick={() => onPrimary(name)}
                    >
                      Make primary
                    </Button>
                  ),
              },
            ]
          : []),
      ]}
    />
  )
}

const isMissing = (state: NameState | undefined) =>
  state?.dns === 'none' || state?.dns === 'elsewhere' || state?.dns === 'both'

const isIn = (zones: readonly string[], name: string) =>
  zones.some((zone) => `.${name}`.endsWith(`.${zone}`))

interface NamedUse {
  name: string
  use: string
}

/** Every name, with what it is for. */
function rowsOf({ primary, www, aliases, redirects }: SiteDomains): NamedUse[] {
  const [, other] = pairOf(primary)
  return [
    { name: primary, use: 'Primary domain' },
    ...(other === undefined
      ? []
      : [{ name: other, use: www === 'serve' ? 'Shows the site' : `Redirects to ${primary}` }]),
    ...aliases.map((name) => ({
      name,
      use: isWildcard(name) ? 'Alias: every name below shows the site' : 'Alias: shows the site',
    })),
    ...redirects.map(({ domain, to = primary, status, keep_path }) => ({
      name: domain,
      use: `Redirects to ${to} (${status}${keep_path ? ', keeps the path' : ''})`,
    })),
  ]
}
