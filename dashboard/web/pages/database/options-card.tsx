import { formatBytes, formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
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
        <Table
          label={`Autoloaded options of ${table}`}
          head={
            <>
              <Head>Option</Head>
              <Head className="text-right">Size</Head>
            </>
          }
        >
          {largest.map(({ name, bytes }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two names can differ in hidden characters
            <tr key={`${name} ${at}`}>
              <Cell className="font-mono text-xs break-all">{name}</Cell>
              <Cell className="text-right whitespace-nowrap tabular-nums">
                {formatBytes(bytes)}
              </Cell>
            </tr>
          ))}
        </Table>
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
      <Table
        label={`Probably unused options of ${table}`}
        head={
          <>
            <Head>Probably unused</Head>
            <Head className="text-right">Options</Head>
            <Head className="text-right">Size</Head>
          </>
        }
      >
        {unused.map(({ plugin, count, bytes }) => (
          <tr key={plugin}>
            <Cell>{plugin}, which is not active</Cell>
            <Cell className="text-right tabular-nums">{formatNumber(count)}</Cell>
            <Cell className="text-right whitespace-nowrap tabular-nums">{formatBytes(bytes)}</Cell>
          </tr>
        ))}
      </Table>
      <p className="border-t border-line px-4 py-3 text-xs text-muted">
        Options of a plugin are recognised by their names. Create a backup before you remove any.
      </p>
    </>
  )
}
