import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bulkQuery, isBulkActive, startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { phpQuery } from '#dashboard/web/api/fleet.ts'
import { PhpSourceField } from '#dashboard/web/features/servers/php-source-field.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { BulkLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import type { BulkOperationView, BulkTarget } from '#shared/operations/api/bulk-operations.ts'
import type { ServerPhp } from '#shared/servers/api/servers.ts'

const LIVE_MS = 3_000
const MAX_SHOWN = 5

interface InstallPhpProps {
  php: string
  /** The sites that shall have it. */
  targets: readonly BulkTarget[]
}

/** The servers of the sites that lack the PHP version, and its installation there; else nothing. */
export function InstallPhp({ php, targets }: InstallPhpProps) {
  const [bulk, setBulk] = useState<{ id: string; php: string }>()
  const may = useMay()
  const [php_source, setSource] = useState(false)
  const isStarted = bulk?.php === php
  const { data: servers } = useQuery({ ...phpQuery, refetchInterval: isStarted && LIVE_MS })
  const { data: installation } = useQuery({ ...bulkQuery(bulk?.id ?? ''), enabled: isStarted })
  const lacking = lackingOf(servers ?? [], php, targets)
  const install = useMutation({
    mutationFn: () =>
      startBulk({
        type: 'server.provision',
        params: { php_versions: [php], ...(php_source && { php_source }) },
        targets: { server_ids: lacking.map(({ server_id }) => server_id) },
      }),
    onSuccess: (id) => setBulk({ id, php }),
  })
  if (lacking.length === 0) return null
  const ids = new Set(lacking.map(({ server_id }) => server_id))
  const sites = targets.filter(({ server_id }) => ids.has(server_id)).length
  const count = formatCount(lacking.length, 'server')
  const mayInstall = lacking.every(({ server_id }) => may('operate', { server_id }))
  const failure = isStarted && installation && failureOf(installation)
  if (isStarted && !failure)
    return (
      <Notice kind="wait" title={`PHP ${php} is being installed on ${count}`}>
        Start the change when it is done. <BulkLink id={bulk.id}>Show the progress</BulkLink>
      </Notice>
    )
  return (
    <Notice
      kind="warn"
      title={`PHP ${php} is not installed on ${count} with ${formatCount(sites, 'of the sites', 'of the sites')}`}
      actions={
        mayInstall && (
          <Button busy={install.isPending} onClick={() => install.mutate()}>
            Install PHP {php} there first
          </Button>
        )
      }
    >
      <p className="mb-2">{namesOf(lacking)}</p>
      {failure && (
        <p className="mb-2">
          {failure} <BulkLink id={bulk.id}>Show the operation</BulkLink>
        </p>
      )}
      <PhpSourceField checked={php_source} onChange={setSource} />
      {install.error && <Failure error={install.error} />}
    </Notice>
  )
}

/** Why an installation has stopped; undefined while it runs, and after a complete success. */
function failureOf(installation: BulkOperationView): string | undefined {
  const { status, counts } = installation
  if (status === 'paused') return 'The installation is paused after failures.'
  if (isBulkActive(installation) || counts.success === counts.total) return undefined
  return counts.failed > 0 ? 'The installation failed.' : 'The installation was cancelled.'
}

function lackingOf(
  servers: readonly ServerPhp[],
  php: string,
  targets: readonly BulkTarget[],
): ServerPhp[] {
  const ids = new Set(targets.map(({ server_id }) => server_id))
  // Of a server without a report nothing is known: its agent installs the version.
  const isLacking = ({ php_versions }: ServerPhp) =>
    php_versions.length > 0 && !php_versions.includes(php)
  return servers.filter((server) => ids.has(server.server_id) && isLacking(server))
}

function namesOf(servers: readonly ServerPhp[]): string {
  const names = servers.slice(0, MAX_SHOWN).map(({ name }) => name)
  const more = servers.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
