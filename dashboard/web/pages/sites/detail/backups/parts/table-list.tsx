import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { browseQuery } from '#dashboard/web/api/backups.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Input } from '#dashboard/web/ui/field.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { OfBackup } from './folder-list.tsx'

interface TableListProps extends OfBackup {
  tables: readonly string[]
  onChange: (tables: string[]) => void
}

/** The tables of a backup by name. */
export function TableList({ site, backup, tables, onChange }: TableListProps) {
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery(browseQuery(site, backup.id, ''))
  const names = data?.tables?.filter((name) => name.includes(search)) ?? []
  const choose = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...tables, name] : tables.filter((one) => one !== name))
  if (data && data.tables === null)
    return <p className="text-muted">This backup has no list of its tables: restore them all.</p>
  return (
    <div className="rounded-lg border border-line">
      <div className="border-b border-line p-2">
        <Input
          type="search"
          aria-label="Search tables"
          placeholder="Search tables"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          // It would submit the form of the dialog.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </div>
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data && (
        <ul aria-label="Tables of the backup" className="max-h-64 overflow-y-auto px-3 py-1">
          {names.map((name) => (
            <li key={name} className="py-1.5">
              <CheckField
                label={name}
                checked={tables.includes(name)}
                onChange={(isChosen) => choose(name, isChosen)}
              />
            </li>
          ))}
        </ul>
      )}
      {data && names.length === 0 && <p className="px-3 pb-3 text-muted">No table matches.</p>}
    </div>
  )
}
