import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { arrange } from './arrange.ts'
import { BulkBar } from './bulk-bar.tsx'
import { Filters } from './filters.tsx'
import { ServersQuery } from './query.ts'
import { readServersSearch, type ServersChange } from './search.ts'
import { ServerTable } from './server-table.tsx'

/** The filters, the matching servers, and the selection. */
export function ServerList({ servers }: { servers: readonly FleetServer[] }) {
  const raw = useSearch({ from: '/inside/servers' })
  const search = useMemo(() => readServersSearch({ ...raw }), [raw])
  const mistakes = mistakesIn(raw, ServersQuery)
  const navigate = useNavigate({ from: '/servers' })
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const shown = useMemo(() => arrange(servers, search), [servers, search])
  const selected = shown.filter(({ id }) => chosen.has(id))
  const change = (next: ServersChange, replace = false) =>
    void navigate({ search: (now) => readServersSearch({ ...now, ...next }), replace })
  return (
    <>
      <Filters servers={servers} search={search} onChange={change} />
      {mistakes.length > 0 ? (
        <AddressMistakes of={mistakes} />
      ) : (
        <Card flush>
          {shown.length > 0 ? (
            <ServerTable
              servers={shown}
              search={search}
              chosen={chosen}
              onChoose={setChosen}
              onChange={change}
            />
          ) : (
            <Empty
              title="No server matches"
              action={
                <Button onClick={() => change({ q: undefined, status: undefined, tag: undefined })}>
                  Show all servers
                </Button>
              }
            />
          )}
        </Card>
      )}
      {selected.length > 0 && mistakes.length === 0 && (
        <BulkBar servers={selected} onClear={() => setChosen(new Set())} />
      )}
    </>
  )
}
