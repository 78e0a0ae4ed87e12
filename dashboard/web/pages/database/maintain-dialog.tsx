import { useState } from 'react'
import { type Maintenance, maintainTables } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

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

interface MaintainDialogProps extends DialogState {
  site: Site
  /** The names of the tables. */
  tables: readonly string[]
}

/** Checks, repairs or optimises all tables, or chosen ones. */
export function MaintainDialog({ site, tables, ...dialog }: MaintainDialogProps) {
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
      <Field label="Action" name="action" hint={ACTIONS[action].hint}>
        <Select value={action} onChange={({ target }) => setAction(actionOf(target.value))}>
          {Object.entries(ACTIONS).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
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

const actionOf = (value: string): Action =>
  value === 'repair' || value === 'optimise' ? value : 'check'
