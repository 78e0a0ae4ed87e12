import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import {
  adoptBackups,
  BACKUPS,
  confirmKit,
  createKit,
  findBackups,
  kitsQuery,
} from '#dashboard/web/api/backups.ts'
import { messageOf } from '#dashboard/web/api/client.ts'
import {
  answerOf,
  hasWebCrypto,
  readKit,
  sealTo,
} from '#dashboard/web/pages/backups/kit/key-pair.ts'
import { privateKeyIn } from '#dashboard/web/pages/backups/kit/kit-file.ts'
import { useServerField } from '#dashboard/web/pages/backups/targets/server-field.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { AdoptedBackups, FoundBackups } from '#shared/backups/api/backup-found.ts'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface FindProps extends DialogState {
  target: BackupTargetView
  /** Shows the backups that were found. */
  onShow: () => void
}

/** Finds the backups of a dashboard that is lost, and records them here. */
export const FindBackups = dialogOf(
  (props: FindProps) => (hasWebCrypto() ? <FindForm {...props} /> : <NoCrypto {...props} />),
  ({ target }) => ({
    title: `Find existing backups in ${target.name}`,
    about:
      'For backups that another dashboard made. A server reads the target, and the recovery kit opens the repositories. Their backups can be restored as new sites then.',
    wide: true,
  }),
)

function FindForm({ target, onShow, onClose }: FindProps) {
  const { server_id, serverField } = useServerField('It reads the target.')
  const [file, setFile] = useState<File>()
  const [names, setNames] = useState('')
  const { start, hasKit, found, unnamed, isPending, error } = useFind()
  const listed = names.split(/\s+/).filter((name) => name !== '')
  const submit = () => {
    if (!file || server_id === undefined) return
    const repositories = listed.length > 0 ? listed : null
    start({ target_id: target.id, server_id, file, repositories })
  }
  if (found) {
    const shown = { found, unnamed, isBusy: isPending, error, onRetry: submit, onClose, onShow }
    return <FoundList {...shown} />
  }
  const refused = error instanceof NotFound ? error.message : undefined
  return (
    <DialogForm
      action="Find backups"
      onSubmit={submit}
      onCancel={onClose}
      isBlocked={!file || server_id === undefined || hasKit === undefined}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <Field
        label="Recovery kit"
        name="file"
        hint="Choose the saved file. It is read here, and not uploaded."
        error={refused}
      >
        <Input
          type="file"
          accept=".txt,.pem,text/plain"
          onChange={({ target: { files } }) => setFile(files?.[0])}
        />
      </Field>
      {serverField}
      <TextAreaField
        label="Names of repositories"
        name="names"
        hint={NAMES[target.place.kind] ?? ALL}
        value={names}
        onChange={setNames}
      />
      {hasKit === false && (
        <p className="text-muted">
          This dashboard has no recovery kit in use. It uses the chosen one from now on.
        </p>
      )}
    </DialogForm>
  )
}

const ALL = 'One per line. Leave empty for all of them.'
const NAMES: Partial<Record<BackupTargetView['place']['kind'], string>> = {
  rest: 'One per line, as their folders are named on the storage machine. Leave empty if it has a keeper, which lists them.',
}

function NoCrypto({ onClose }: Pick<FindProps, 'onClose'>) {
  const close = { onSubmit: onClose, onCancel: onClose, cancel: 'Close' }
  return (
    <DialogForm action={undefined} {...close} isBusy={false}>
      <Notice kind="warn" title="This page is not served over HTTPS">
        The browser cannot use the recovery kit here. Open the dashboard over HTTPS, or through an
        SSH tunnel as http://localhost.
      </Notice>
    </DialogForm>
  )
}

type NewSearch = Omit<Search, 'kit' | 'hasKit'> & { file: File }

/** The search in a target, and what it has found until now. */
function useFind() {
  const client = useQueryClient()
  const { data: kits } = useQuery(kitsQuery)
  const [found, setFound] = useState<readonly FoundRepository[]>()
  const hasKit = kits && kits.in_use !== null
  const {
    mutate,
    isPending,
    isSuccess,
    error,
    data: unnamed = 0,
  } = useMutation({
    // The text of the kit is not kept.
    gcTime: 0,
    mutationFn: async ({ file, ...options }: NewSearch) =>
      adoptAll({ ...options, kit: await file.text(), hasKit: hasKit === true }, setFound),
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
  const isShown = found !== undefined && (isSuccess || found.length > 0)
  const shown = isShown ? found : undefined
  return { start: mutate, hasKit, found: shown, unnamed, isPending, error }
}

interface FoundListProps {
  found: readonly FoundRepository[]
  unnamed: number
  isBusy: boolean
  error: unknown
  onRetry: () => void
  onClose: () => void
  onShow: () => void
}

/** Each repository of the target, while their backups are recorded and after it. */
function FoundList(props: FoundListProps) {
  const { found, unnamed, isBusy, error, onRetry, onClose, onShow } = props
  const count = (...states: FoundRepository['state'][]) =>
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
        <RecordTable
          label="Repositories"
          rows={found}
          keyOf={({ name }) => name}
          columns={COLUMNS}
        />
      )}
      {!isBusy && error === null && count('failed') > 0 && (
        <Button icon={<RotateCw />} onClick={onRetry} className="self-start">
          Try again
        </Button>
      )}
    </DialogForm>
  )
}

function summaryOf(found: readonly FoundRepository[], isBusy: boolean): string {
  const ended = found.filter(({ state }) => state !== 'waiting' && state !== 'reading').length
  if (isBusy) return `Reading repositories: ${ended} of ${found.length}`
  if (found.length === 0) return 'The target has no repository of a site.'
  const done = found.filter(({ state }) => state === 'done').length
  return `The backups of ${formatCount(done, 'site')} are recorded. Restore them on the tab Sites.`
}

const COLUMNS: readonly Column<FoundRepository>[] = [
  { name: 'Site', show: (found) => <Name found={found} /> },
  {
    name: 'Backups',
    isNumber: true,
    show: (found) => found.state === 'done' && formatNumber(found.adopted.backups),
  },
  {
    name: 'Last backup',
    show: (found) => found.state === 'done' && <Time at={found.adopted.last_at} />,
  },
]

function Name({ found }: { found: FoundRepository }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">
          {found.state === 'done' ? unicodeOf(found.adopted.domain) : found.name}
        </span>
        {found.state !== 'done' && (
          <Badge tone={STATES[found.state].tone}>{STATES[found.state].name}</Badge>
        )}
      </span>
      {found.state === 'done' && <p className="text-xs break-all text-muted">{found.name}</p>}
      {found.state === 'failed' && <p className="text-xs break-words">{found.message}</p>}
    </>
  )
}

const STATES: Record<Exclude<FoundRepository['state'], 'done'>, { name: string; tone: Tone }> = {
  waiting: { name: 'waiting', tone: 'plain' },
  reading: { name: 'reading', tone: 'busy' },
  other_kit: { name: 'needs another kit', tone: 'warn' },
  failed: { name: 'failed', tone: 'bad' },
}

/** A repository in a target, and what was done with it. */
type FoundRepository = { name: string } & (
  | { state: 'waiting' | 'reading' | 'other_kit' }
  | { state: 'done'; adopted: AdoptedBackups }
  | { state: 'failed'; message: string }
)

interface Search {
  target_id: number
  server_id: number
  /** The text of the recovery kit: it stays in the page. */
  kit: string
  /** The names of the repositories to read; null for those that the storage lists. */
  repositories: string[] | null
  /** There is a kit in use. */
  hasKit: boolean
}

/** What is wrong with the chosen file or with the names, in a sentence. */
class NotFound extends Error {}

/**
 * Finds the repositories in a target, decrypts their passwords with the kit, and has their backups
 * recorded, one repository after the other. A dashboard without a kit uses this one from then on.
 * Returns how many more repositories there are, whose names are not known.
 */
async function adoptAll(
  search: Search,
  show: (found: readonly FoundRepository[]) => void,
): Promise<number> {
  const kit = await kitIn(search.kit)
  if (!search.hasKit) await takeKit(kit)
  const found: FoundRepository[] = []
  let unnamed = 0
  for await (const { page, repository } of repositoriesOf(search)) {
    if (!repository) {
      unnamed = page.unnamed
      found.push(...page.repositories.map(({ name }) => ({ name, state: 'waiting' as const })))
      show([...found])
      continue
    }
    const at = found.findIndex(({ name }) => name === repository.name)
    for await (const state of adopting(search, kit, page.dashboard_key, repository)) {
      found[at] = state
      show([...found])
    }
  }
  return unnamed
}

type Repository = FoundBackups['repositories'][number]

/** Each page, and then each repository of it. */
async function* repositoriesOf({ target_id, server_id, repositories }: Search) {
  for (let after: string | null = ''; after !== null; ) {
    const page: FoundBackups = await findBackups(server_id, { target_id, repositories, after })
    const isUnlisted = !page.is_listed && repositories === null
    if (isUnlisted && page.repositories.length === 0) throw new NotFound(UNLISTED)
    yield { page }
    for (const repository of page.repositories) yield { page, repository }
    after = page.next
  }
}

const UNLISTED =
  'The storage does not list its repositories: enter the names of their folders, one per line.'

async function* adopting(
  { target_id, server_id }: Search,
  kit: Kit,
  dashboard_key: string,
  { name, keys }: Repository,
): AsyncGenerator<FoundRepository> {
  const own = keys.filter((key) => key.kit === kit.fingerprint)
  const opened = await Promise.all(own.map(({ sealed }) => kit.open(sealed)))
  const passwords = opened.flatMap((password) => password ?? [])
  if (passwords.length === 0) {
    yield { name, state: 'other_kit' }
    return
  }
  yield { name, state: 'reading' }
  const sealed_passwords = await Promise.all(passwords.map((each) => sealTo(dashboard_key, each)))
  yield await adoptBackups(server_id, { target_id, repository: name, sealed_passwords }).then(
    (adopted): FoundRepository => ({ name, state: 'done', adopted }),
    (error: unknown): FoundRepository => ({ name, state: 'failed', message: messageOf(error) }),
  )
}

type Kit = Awaited<ReturnType<typeof readKit>> & { private_key: string }

async function kitIn(text: string): Promise<Kit> {
  const private_key = privateKeyIn(text)
  const kit = private_key && (await readKit(private_key).catch(() => undefined))
  if (private_key && kit) return { ...kit, private_key }
  throw new NotFound('The file has no private key. Choose the recovery kit.')
}

async function takeKit({ public_key, private_key }: Kit): Promise<void> {
  const { challenge } = await createKit(public_key)
  await confirmKit(await answerOf(private_key, challenge))
}
