import { RotateCw } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { Found } from './adopt-all.ts'

interface FoundListProps {
  found: readonly Found[]
  unnamed: number
  isBusy: boolean
  error: unknown
  onRetry: () => void
  onClose: () => void
  onShow: () => void
}

/** Each repository of the target, while their backups are recorded and after it. */
export function FoundList(props: FoundListProps) {
  const { found, unnamed, isBusy, error, onRetry, onClose, onShow } = props
  const count = (...states: Found['state'][]) =>
    found.filter(({ state }) => states.includes(state)).length
  const done = count('done')
  return (
    <DialogForm
      action={done > 0 && !isBusy ? 'Show backups' : undefined}
      onSubmit={onShow}
      onCancel={onClose}
      cancel="Close"
      isBusy={false}
    >
      <div className="flex flex-col gap-2">
        <p role="status">{summaryOf(found, isBusy)}</p>
        {found.length > 0 && (
          <div className="flex">
            <ProgressBar
              label="Repositories"
              total={found.length}
              parts={{ good: done, bad: count('failed'), plain: count('other_kit') }}
            />
          </div>
        )}
      </div>
      {unnamed > 0 && (
        <Notice
          kind="warn"
          title={`${formatCount(unnamed, 'more repository', 'more repositories')} in the target`}
        >
          The report of the keeper does not name them. Search again with the names of their folders
          on the storage machine.
        </Notice>
      )}
      {error !== null && <Failure error={error} onRetry={onRetry} />}
      {found.length > 0 && (
        <Table
          label="Repositories"
          head={
            <>
              <Head>Site</Head>
              <Head className="text-right">Backups</Head>
              <Head>Last backup</Head>
            </>
          }
        >
          {found.map((one) => (
            <Row key={one.name} found={one} />
          ))}
        </Table>
      )}
      {!isBusy && error === null && count('failed') > 0 && (
        <Button icon={<RotateCw />} onClick={onRetry} className="self-start">
          Try again
        </Button>
      )}
    </DialogForm>
  )
}

function summaryOf(found: readonly Found[], isBusy: boolean): string {
  const ended = found.filter(({ state }) => state !== 'waiting' && state !== 'reading').length
  if (isBusy) return `Reading repositories: ${ended} of ${found.length}`
  if (found.length === 0) return 'The target has no repository of a site.'
  const done = found.filter(({ state }) => state === 'done').length
  return `The backups of ${formatCount(done, 'site')} are recorded. Restore them on the tab Sites.`
}

function Row({ found }: { found: Found }) {
  const adopted = found.state === 'done' ? found.adopted : undefined
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">
            {adopted ? unicodeOf(adopted.domain) : found.name}
          </span>
          {found.state !== 'done' && (
            <Badge tone={STATES[found.state].tone}>{STATES[found.state].name}</Badge>
          )}
        </span>
        {adopted && <p className="text-xs break-all text-muted">{found.name}</p>}
        {found.state === 'failed' && <p className="text-xs break-words">{found.message}</p>}
      </Cell>
      <Cell className="text-right tabular-nums">{adopted && formatNumber(adopted.backups)}</Cell>
      <Cell>{adopted && <Time at={adopted.last_at} />}</Cell>
    </tr>
  )
}

const STATES: Record<Exclude<Found['state'], 'done'>, { name: string; tone: Tone }> = {
  waiting: { name: 'waiting', tone: 'plain' },
  reading: { name: 'reading', tone: 'busy' },
  other_kit: { name: 'needs another kit', tone: 'warn' },
  failed: { name: 'failed', tone: 'bad' },
}
