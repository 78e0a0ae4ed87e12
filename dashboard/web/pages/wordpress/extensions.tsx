import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import type { Extension } from '#shared/kernel/inventory.ts'

interface ExtensionsProps {
  kind: 'plugin' | 'theme'
  of: readonly Extension[]
}

/** Extensions with an update first, then active ones. */
export function Extensions({ kind, of }: ExtensionsProps) {
  const title = `${of.length} ${kind}${of.length === 1 ? '' : 's'}`
  const rows = [...of].sort(
    (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || a.slug.localeCompare(b.slug),
  )
  return (
    <section className="border-t border-line">
      <h3 className="px-4 pt-3 pb-1 font-medium">{title}</h3>
      {rows.length > 0 && (
        <Table
          label={title}
          head={
            <>
              <Head className="w-full">Name</Head>
              <Head className="min-w-24">Version</Head>
              <Head className="min-w-24">Update</Head>
              <Head className="min-w-20">In use</Head>
            </>
          }
        >
          {rows.map(({ slug, name, version, update, active }) => (
            <tr key={slug}>
              <Cell className="max-w-64 py-2!">
                <span className="block truncate" title={slug}>
                  {name || slug}
                </span>
              </Cell>
              <Cell className="py-2! tabular-nums">{version || '–'}</Cell>
              <Cell className="py-2! tabular-nums">
                {update ? (
                  <Badge tone="warn">{update}</Badge>
                ) : (
                  <span className="text-muted">–</span>
                )}
              </Cell>
              <Cell className="py-2! text-muted">{IN_USE.get(active)}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

const IN_USE = new Map<boolean | null, string>([
  [true, 'yes'],
  [false, 'no'],
  [null, 'unknown'],
])

const rank = ({ update, active }: Extension): number => (update ? 0 : active ? 1 : 2)
