import { Table2, Wrench } from 'lucide-react'
import { useState } from 'react'
import { type Maintenance, maintainTables } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatBytes, formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const MAX_SHOWN = 10

interface TablesCardProps {
  site: Site
  of: { data: SiteDatabase | undefined; error: unknown; refetch: () => void }
}

/** The tables of a site by size. */
export function TablesCard({ site, of }: TablesCardProps) {
  const { data } = of
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const hasTables = data !== undefined && data.table_count > 0
  return (
    <Card
      title="Tables"
      flush
      actions={
        hasTables && (
          <Button needs="operate" icon={<Wrench />} disabled={isOffline} onClick={show}>
            Maintain tables
          </Button>
        )
      }
    >
      <QueryState of={of} flush />
      {data?.table_count === 0 && (
        <Empty icon={<Table2 />} title="No tables">
          WordPress creates its tables when it is installed.
        </Empty>
      )}
      {hasTables && <Tables database={data} />}
      {data && dialog.open && (
        <MaintainDialog {...dialog} site={site} tables={data.tables.map(({ name }) => name)} />
      )}
    </Card>
  )
}

function Tables({ database }: { database: SiteDatabase }) {
  const { tables, table_count, data_bytes, index_bytes, free_bytes } = database
  const [isLong, setLong] = useState(false)
  const shown = isLong ? tables : tables.slice(0, MAX_SHOWN)
  return (
    <>
      <div className="p-4">
        <Facts
          of={{
            Size: `${formatBytes(data_bytes + index_bytes)} in ${formatCount(table_count, 'table')}`,
            Indexes: formatBytes(index_bytes),
            'Free in tables': formatBytes(free_bytes),
          }}
        />
      </div>
      <RecordTable
        label="Tables"
        rows={shown}
        // Two names can differ in hidden characters.
        keyOf={({ name }, index) => `${name} ${index}`}
        columns={COLUMNS}
      />
      {tables.length > MAX_SHOWN && (
        <div className="border-t border-line p-4">
          <Button onClick={() => setLong(!isLong)}>
            {isLong ? 'Show the largest tables' : `Show ${formatNumber(tables.length)} tables`}
          </Button>
        </div>
      )}
    </>
  )
}

const COLUMNS: readonly Column<SiteDatabase['tables'][number]>[] = [
  { name: 'Table', cell: 'min-w-28 font-mono text-xs break-all', show: ({ name }) => name },
  {
    name: 'Engine',
    show: ({ engine }) => engine ?? <span className="text-bad">cannot be opened</span>,
  },
  { name: 'Rows', isNumber: true, show: ({ rows }) => formatNumber(rows) },
  { name: 'Data', isNumber: true, show: ({ data_bytes }) => formatBytes(data_bytes) },
  {
    name: 'Indexes',
    isNumber: true,
    className: 'max-md:hidden',
    show: ({ index_bytes }) => formatBytes(index_bytes),
  },
  {
    name: 'Free',
    isNumber: true,
    className: 'max-md:hidden',
    show: ({ free_bytes }) => formatBytes(free_bytes),
  },
]

type Action = Maintenance['action']

const ACTIONS: Record<Action, { name: string; button: string; hint: string }> = {
  check: {
    name: 'Check',
    button: 'Check tables',
    hint: 'Reads the tables and reports errors. Changes nothing.',
  },
  repair: {
    name: 'Repair',
    button: 'Repair tables',
    hint: 'For broken tables of MyISAM and Aria. Rows that cannot be read are lost. MariaDB does not repair tables of InnoDB: restore a backup instead.',
  },
  optimise: {
    name: 'Optimise',
    button: 'Optimise tables',
    hint: 'Rebuilds the tables, one after another, and returns their free space. Writes to a large table may have to wait meanwhile.',
  },
}

const ACTION_OPTIONS = (Object.keys(ACTIONS) as Action[]).map((value) => ({
  value,
  name: ACTIONS[value].name,
}))

interface MaintainDialogProps extends DialogState {
  site: Site
  /** The names of the tables. */
  tables: readonly string[]
}

/** Checks, repairs or optimises all tables, or chosen ones. */
function MaintainDialog({ site, tables, ...dialog }: MaintainDialogProps) {
  const [action, setAction] = useState<Action>('check')
  const [chosen, setChosen] = useState<readonly string[]>()
  const [without_backup, setWithout] = useState(false)
  const choose = (name: string, isIn: boolean) =>
    setChosen(tables.filter((one) => (one === name ? isIn : chosen?.includes(one))))
  const input: Maintenance = {
    action,
    ...(chosen && { tables: [...chosen] }),
    ...(action === 'repair' && { without_backup }),
  }
  return (
    <WorkDialog
      {...dialog}
      title={`Maintain the tables of ${unicodeOf(site.domain)}`}
      about="The operation shows what MariaDB answers about each table."
      site={site}
      work={chosen?.length === 0 ? undefined : maintainTables(site, input)}
      action={ACTIONS[action].button}
    >
      <SelectField
        label="Action"
        name="action"
        hint={ACTIONS[action].hint}
        value={action}
        options={ACTION_OPTIONS}
        onChange={setAction}
      />
      <CheckField
        label="All tables"
        checked={chosen === undefined}
        onChange={(isAll) => setChosen(isAll ? undefined : [])}
      />
      {chosen && (
        <div className="flex max-h-60 flex-col gap-2 overflow-y-auto p-1">
          {tables.map((name) => (
            <CheckField
              key={name}
              label={<span className="font-mono text-xs break-all">{name}</span>}
              checked={chosen.includes(name)}
              onChange={(isIn) => choose(name, isIn)}
            />
          ))}
        </div>
      )}
      {action === 'repair' && (
        <BeforeChange
          site={site}
          label="Repair without a backup"
          checked={without_backup}
          onChange={setWithout}
        />
      )}
    </WorkDialog>
  )
}
