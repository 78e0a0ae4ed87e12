import { formatBytes, formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'
import { LARGE_AUTOLOAD } from '#shared/database/site-database.ts'

type Options = NonNullable<SiteDatabase['options']>[number]

/** What WordPress loads with every request; none for a database of another program. */
export function OptionsCard({ options }: { options: SiteDatabase['options'] }) {
  if (options?.length === 0) return null
  return (
    <Card title="Autoloaded options" flush>
      {options === null && (
        <div className="p-4">
          <Notice kind="warn" title="The options of WordPress could not be read">
            A table of options is broken or locked, or too large to be read within 20 seconds.
          </Notice>
        </div>
      )}
      {options?.map((one) => (
        <OptionsOf key={one.table} options={one} />
      ))}
    </Card>
  )
}

function OptionsOf({ options }: { options: Options }) {
  const { table, count, bytes, largest, expired, expired_bytes, unused } = options
  return (
    <>
      <div className="flex flex-col gap-3 p-4">
        <p>
          WordPress loads {formatCount(count, 'option')} of{' '}
          <code className="font-mono">{table}</code> with every request: {formatBytes(bytes)}.{' '}
          {formatNumber(expired)} expired transients occupy {formatBytes(expired_bytes)}.
        </p>
        {bytes > LARGE_AUTOLOAD && (
          <Notice kind="warn" title="The autoloaded options are large">
            More than {formatBytes(LARGE_AUTOLOAD)} make every request slower. Look for large
            options of plugins that are no longer used.
          </Notice>
        )}
      </div>
      {unused.length > 0 && <UnusedOptions table={table} unused={unused} />}
      {largest.length > 0 && (
        <RecordTable
          label={`Autoloaded options of ${table}`}
          rows={largest}
          // Two names can differ in hidden characters.
          keyOf={({ name }, index) => `${name} ${index}`}
          columns={[
            { name: 'Option', cell: 'font-mono text-xs break-all', show: ({ name }) => name },
            { name: 'Size', isNumber: true, show: ({ bytes }) => formatBytes(bytes) },
          ]}
        />
      )}
    </>
  )
}

interface UnusedOptionsProps {
  table: string
  unused: NonNullable<SiteDatabase['options']>[number]['unused']
}

/** A hint: the plugin may be active again tomorrow, and an option may have another owner. */
function UnusedOptions({ table, unused }: UnusedOptionsProps) {
  return (
    <>
      <RecordTable
        label={`Probably unused options of ${table}`}
        rows={unused}
        keyOf={({ plugin }) => plugin}
        columns={[
          { name: 'Probably unused', show: ({ plugin }) => `${plugin}, which is not active` },
          { name: 'Options', isNumber: true, show: ({ count }) => formatNumber(count) },
          { name: 'Size', isNumber: true, show: ({ bytes }) => formatBytes(bytes) },
        ]}
      />
      <p className="border-t border-line px-4 py-3 text-xs text-muted">
        Options of a plugin are recognised by their names. Create a backup before you remove any.
      </p>
    </>
  )
}
