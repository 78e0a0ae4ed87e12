import { useCallback } from 'react'
import { Check } from '#dashboard/web/ui/check.tsx'
import { SortHead } from '#dashboard/web/ui/sort-head.tsx'
import { Head, Table } from '#dashboard/web/ui/table.tsx'
import { useGrowing } from '#dashboard/web/ui/use-growing.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import type { ServerSort, ServersChange, ServersSearch } from './search.ts'
import { ServerRow } from './server-row.tsx'

interface ServerTableProps {
  servers: readonly FleetServer[]
  search: ServersSearch
  chosen: ReadonlySet<number>
  onChoose: (change: (chosen: ReadonlySet<number>) => ReadonlySet<number>) => void
  onChange: (next: ServersChange) => void
}

interface Column {
  sort: ServerSort
  name: string
  first?: 'asc' | 'desc'
  numeric?: boolean
  className?: string
}

const COLUMNS: readonly Column[] = [
  { sort: 'name', name: 'Server' },
  { sort: 'status', name: 'Status' },
  { sort: 'cpu', name: 'CPU', first: 'desc', className: 'hidden md:table-cell' },
  { sort: 'memory', name: 'Memory', first: 'desc', className: 'hidden md:table-cell' },
  { sort: 'disk', name: 'Disk', first: 'desc', className: 'hidden md:table-cell' },
  { sort: 'sites', name: 'Sites', first: 'desc', numeric: true, className: 'hidden sm:table-cell' },
  { sort: 'version', name: 'Agent', className: 'hidden lg:table-cell' },
  { sort: 'age', name: 'Last contact', className: 'hidden lg:table-cell' },
]

export function ServerTable({ servers, search, chosen, onChoose, onChange }: ServerTableProps) {
  const { sort = 'name', order = 'asc' } = search
  const count = servers.filter(({ id }) => chosen.has(id)).length
  const chooseAll = (all: boolean) =>
    onChoose(() => new Set(all ? servers.map(({ id }) => id) : []))
  const choose = useCallback(
    (id: number, on: boolean) =>
      onChoose((now) => new Set(on ? [...now, id] : [...now].filter((other) => other !== id))),
    [onChoose],
  )
  const head = (
    <>
      <Head className="w-10 pr-0">
        <Check
          name="Select all that are shown"
          checked={count === servers.length}
          mixed={count > 0 && count < servers.length}
          onChange={chooseAll}
        />
      </Head>
      {COLUMNS.map(({ name, ...column }) => (
        <SortHead
          key={column.sort}
          {...column}
          order={sort === column.sort ? order : undefined}
          onSort={(next) =>
            onChange({
              sort: column.sort === 'name' ? undefined : column.sort,
              order: next === 'desc' ? next : undefined,
            })
          }
        >
          {name}
        </SortHead>
      ))}
    </>
  )
  const { count: drawn, end } = useGrowing(JSON.stringify(search))
  return (
    <>
      <Table label="Servers" head={head}>
        {servers.slice(0, drawn).map((server) => (
          <ServerRow
            key={server.id}
            server={server}
            chosen={chosen.has(server.id)}
            onChoose={choose}
          />
        ))}
      </Table>
      {drawn < servers.length && <div key={drawn} ref={end} />}
    </>
  )
}
