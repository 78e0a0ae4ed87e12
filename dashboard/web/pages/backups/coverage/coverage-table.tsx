import { useState } from 'react'
import { BULK_ACTIONS } from '#dashboard/web/pages/sites/list/bulk-actions.ts'
import { BulkDialog } from '#dashboard/web/pages/sites/list/bulk-dialog.tsx'
import { Check } from '#dashboard/web/ui/check.tsx'
import { Head, Table } from '#dashboard/web/ui/table.tsx'
import type { CoveredSite } from '#shared/backups/api/backup-coverage.ts'
import { CoverageRow } from './coverage-row.tsx'
import { SelectionBar } from './selection-bar.tsx'

const NONE: ReadonlySet<number> = new Set()
const BACK_UP = BULK_ACTIONS.find(({ type }) => type === 'backup.create')

/** One page of sites; those that are selected can be backed up now. */
export function CoverageTable({ sites }: { sites: readonly CoveredSite[] }) {
  const [selected, setSelected] = useState(NONE)
  const [isOpen, setIsOpen] = useState(false)
  const all = new Set(sites.map(({ id }) => id))
  // The selection is that of the shown sites.
  const ids = selected.intersection(all)
  const select = (id: number, isChosen: boolean) =>
    setSelected(isChosen ? new Set([...ids, id]) : ids.difference(new Set([id])))
  return (
    <>
      <Table
        label="Backups of sites"
        head={
          <>
            <Head className="w-8">
              <Check
                name="Select all sites on this page"
                checked={ids.size === all.size}
                mixed={ids.size > 0 && ids.size < all.size}
                onChange={(isChosen) => setSelected(isChosen ? all : NONE)}
              />
            </Head>
            <Head>Site</Head>
            <Head>Backups</Head>
            <Head className="max-sm:hidden">Last backup</Head>
            <Head className="max-md:hidden">Last proven</Head>
            <Head className="max-lg:hidden text-right">Size</Head>
            <Head className="max-lg:hidden">Target</Head>
            <Head className="max-md:hidden">Next backup</Head>
          </>
        }
      >
        {sites.map((site) => (
          <CoverageRow
            key={site.id}
            site={site}
            isSelected={ids.has(site.id)}
            onSelect={(isChosen) => select(site.id, isChosen)}
          />
        ))}
      </Table>
      {ids.size > 0 && (
        <SelectionBar
          count={ids.size}
          onBackUp={() => setIsOpen(true)}
          onClear={() => setSelected(NONE)}
        />
      )}
      <BulkDialog
        action={isOpen ? BACK_UP : undefined}
        ids={ids}
        onClose={() => setIsOpen(false)}
        onStarted={() => setSelected(NONE)}
      />
    </>
  )
}
