import type { FleetServer } from '#shared/api/fleet.ts'
import { SERVER_STATUSES } from '#shared/values.ts'
import { cx } from '../../ui/cx.ts'
import { Select } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { SearchInput } from '../../ui/search-input.tsx'
import type { ServerStatus, ServersChange, ServersSearch } from './search.ts'

interface FiltersProps {
  servers: readonly FleetServer[]
  search: ServersSearch
  onChange: (next: ServersChange) => void
}

export function Filters({ servers, search, onChange }: FiltersProps) {
  const tags = [...new Set(servers.flatMap((server) => server.tags))].sort()
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchInput
        name="Search servers"
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q || undefined })}
        className="w-full sm:w-72"
      />
      <StatusTabs servers={servers} status={search.status} onChange={onChange} />
      {tags.length > 0 && (
        <Select
          aria-label="Tag"
          value={search.tag ?? ''}
          onChange={(event) => onChange({ tag: event.target.value || undefined })}
          className="w-auto max-w-48"
        >
          <option value="">All tags</option>
          {tags.map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </Select>
      )}
    </search>
  )
}

interface StatusTabsProps extends Pick<FiltersProps, 'servers' | 'onChange'> {
  status: ServerStatus | undefined
}

/** One status at a time, each with how many servers there are of it. */
function StatusTabs({ servers, status, onChange }: StatusTabsProps) {
  const choices = [undefined, ...SERVER_STATUSES]
  return (
    <fieldset className="flex overflow-hidden rounded-lg border border-line-strong bg-surface">
      <legend className="sr-only">Status</legend>
      {choices.map((value) => {
        const count = servers.filter((server) => !value || server.status === value).length
        return (
          <button
            key={value ?? 'all'}
            type="button"
            aria-pressed={status === value}
            onClick={() => onChange({ status: value })}
            className={cx(
              'min-h-9 border-l border-line px-2.5 text-sm -outline-offset-2 first:border-l-0 sm:px-3',
              status === value ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-sunken',
            )}
          >
            <span className="first-letter:uppercase inline-block">{value ?? 'all'}</span>{' '}
            <span className="text-xs tabular-nums opacity-80">{formatNumber(count)}</span>
          </button>
        )
      })}
    </fieldset>
  )
}
