import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { BACKUPS, changeBackupSettings, targetsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import {
  BackupFirstField,
  IntervalField,
  TargetField,
} from '#dashboard/web/features/backups/fields.tsx'
import { EVERY } from '#dashboard/web/labels/backup.ts'
import { linesOf } from '#dashboard/web/pages/sites/detail/settings/lines.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { SettingSource } from '#shared/backups/api/backup-settings.ts'
import type { SiteBackups } from '#shared/backups/api/backups.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { ProveNow } from './proof.tsx'

interface ScheduleCardProps {
  site: Site
  data: SiteBackups
}

/** What is due within this time is shown as due, because the page may be older than the schedule. */
const SOON_MS = 60_000

/** The schedule of automatic backups of the site, and where its values come from. */
export function ScheduleCard({ site, data }: ScheduleCardProps) {
  const { in_effect, exclude, next_at } = data
  const seesFleet = useMay()('read', 'fleet')
  const { data: targets } = useQuery({ ...targetsQuery, enabled: seesFleet })
  const { dialog, show } = useDialog()
  const target =
    in_effect.target_id === null
      ? 'none'
      : (targets?.find(({ id }) => id === in_effect.target_id)?.name ??
        'a target of this dashboard')
  return (
    <Card
      title="Schedule"
      actions={
        <>
          {data.backups.length > 0 && <ProveNow site={site} />}
          <Button needs="operate" icon={<Pencil />} onClick={show}>
            Edit schedule
          </Button>
        </>
      }
    >
      <Facts
        of={{
          Interval: <Value of={EVERY[in_effect.every]} from={in_effect.every_from} />,
          'Next backup': <Next at={next_at} isOff={in_effect.every === 'off'} />,
          Target: <Value of={target} from={in_effect.target_from} />,
          'Before changes': (
            <Value
              of={in_effect.backup_first ? 'Backed up first' : 'No backup'}
              from={in_effect.backup_first_from}
            />
          ),
          Excluded: <Excluded paths={exclude} />,
          'Last proof': <LastProof backups={data.backups} />,
          'Next proof': <NextProof at={data.next_proof_at} />,
        }}
      />
      <EditSchedule key={String(dialog.open)} {...dialog} site={site} data={data} />
    </Card>
  )
}

function Value({ of, from }: { of: string; from: SettingSource }) {
  return (
    <>
      {of} <span className="text-muted">· {SOURCES[from.kind](from.tag)}</span>
    </>
  )
}

const SOURCES: Record<SettingSource['kind'], (tag: string | null) => ReactNode> = {
  site: () => 'set for this site',
  tag: (tag) => <FromTag tag={tag} />,
  fleet: () => 'as for all sites',
}

function FromTag({ tag }: Pick<SettingSource, 'tag'>) {
  if (!useMay()('read', 'fleet')) return `from the tag ${tag}`
  return (
    <Link to="/backups" search={{ part: 'targets' }} className="hover:underline">
      from the tag {tag}
    </Link>
  )
}

function Next({ at, isOff }: { at: string | null; isOff: boolean }) {
  const now = useNow()
  const seesFleet = useMay()('read', 'fleet')
  const { data: settings } = useQuery({ ...settingsQuery, enabled: seesFleet })
  if (isOff) return <span className="text-muted">Only when you start one</span>
  if (at === null) return <span className="text-muted">None starts before backups are set up</span>
  if (Date.parse(at) <= now + SOON_MS) return 'Due now: starts as soon as its server is free'
  const { from, to } = settings?.backup_window ?? {}
  return (
    <>
      <Time at={at} />, {formatTime(at)}
      {from && (
        <span className="text-muted">
          {' '}
          · in the window {from} to {to} UTC
        </span>
      )}
    </>
  )
}

/** Shows the last proof of any backup of the site, not only of the newest backup. */
function LastProof({ backups }: Pick<SiteBackups, 'backups'>) {
  const proofs = backups.flatMap(({ proof }) => proof ?? [])
  const [last] = proofs.sort((a, b) => b.at.localeCompare(a.at))
  if (!last) return <span className="text-muted">No backup has been proven yet</span>
  return (
    <>
      <Time at={last.at} />:{' '}
      {last.proven ? 'the backup is complete and works' : 'the backup has findings'}
    </>
  )
}

function NextProof({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <span className="text-muted">Only when you start one</span>
  if (Date.parse(at) <= now + SOON_MS) return 'Due now: starts after the backups of its server'
  return <Time at={at} />
}

function Excluded({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return <span className="text-muted">Caches only</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {paths.map((path) => (
        <li key={path} className="font-mono text-xs break-all">
          {path}
        </li>
      ))}
    </ul>
  )
}

interface EditScheduleProps extends DialogState {
  site: Site
  data: SiteBackups
}

/** The values of this site; those that are not set come from a tag of its server, or are for all. */
function EditSchedule({ site, data, ...dialog }: EditScheduleProps) {
  const [every, setEvery] = useState(data.every)
  const [target_id, setTarget] = useState(data.target_id)
  const [backup_first, setFirst] = useState(data.backup_first)
  const [text, setText] = useState(data.exclude.join('\n'))
  const seesFleet = useMay()('read', 'fleet')
  const { data: targets = [] } = useQuery({ ...targetsQuery, enabled: seesFleet })
  const client = useQueryClient()
  const exclude = linesOf(text)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => changeBackupSettings(site, { every, target_id, backup_first, exclude }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: BACKUPS })
      toast('The schedule is saved')
      dialog.onClose()
    },
  })
  const refused = refusalsIn(error)
  return (
    <Dialog {...dialog} title={`Backups of ${unicodeOf(site.domain)}`}>
      <DialogForm
        action="Save schedule"
        onSubmit={mutate}
        onCancel={dialog.onClose}
        isBusy={isPending}
        error={Object.keys(refused).length > 0 ? null : error}
      >
        <IntervalField
          value={every}
          onChange={setEvery}
          fallback="As its server's tags or the settings say"
          error={refused.every}
        />
        {seesFleet && (
          <TargetField
            targets={targets}
            value={target_id}
            onChange={setTarget}
            fallback="As its server's tags or the default target"
            error={refused.target_id}
          />
        )}
        <BackupFirstField
          value={backup_first}
          onChange={setFirst}
          fallback="As its server's tags or the settings say"
          error={refused.backup_first}
        />
        <TextAreaField
          name="exclude"
          label="Leave out"
          hint="One path in each line, below the public folder: wp-content/uploads/videos. * stands for any name, **/node_modules for that folder everywhere. A restore cannot bring back what is left out."
          error={refused.exclude}
          value={text}
          onChange={setText}
        />
      </DialogForm>
    </Dialog>
  )
}
