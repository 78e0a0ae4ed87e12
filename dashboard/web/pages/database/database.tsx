import { useQuery } from '@tanstack/react-query'
import { Download, Eye, Table, Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import {
  type Dump,
  dumpIn,
  importDump,
  problemOf,
  uploadDump,
} from '#dashboard/web/api/database-import.ts'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { exportAddress, exportQuery, openDatabaseTool } from '#dashboard/web/api/site-database.ts'
import { changeSite } from '#dashboard/web/api/site-work.ts'
import { readDatabasePassword, type Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { Secret, useSecret } from '#dashboard/web/features/sites/access/secret.tsx'
import { Text } from '#dashboard/web/features/sites/fact.tsx'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useConfirmedCall } from '#dashboard/web/ui/confirmed-call.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { startDownload } from '#dashboard/web/ui/download.ts'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import type { UserRights } from '#shared/database/database-user.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { RightsField } from './rights-field.tsx'

export function DatabaseTab({ site, isOnServer }: TabProps) {
  const { db_name, found, unknown } = site
  return (
    <Card title="Database">
      <div className="flex flex-col gap-4">
        <Facts
          of={{
            Name: (
              <Text
                of={db_name}
                what="the database name"
                unknown={unknownText(unknown, 'db_name')}
              />
            ),
            ...(!found && { Rights: <DatabaseRights site={site} canChange={isOnServer} /> }),
          }}
        />
        {isOnServer && <DatabasePassword site={site} />}
        {isOnServer && !found && <ToolRow site={site} />}
        {isOnServer && !found && <ExportRow site={site} />}
        {isOnServer && !found && <ImportRow site={site} />}
      </div>
    </Card>
  )
}

/** Imports an export of this site, or a dump of another host. */
function ImportRow({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  return (
    <>
      <AccessRow
        name="Import"
        about="A SQL dump of tables, such as one of mariadb-dump or phpMyAdmin; it can be undone for a week."
      >
        <Button needs="admin" icon={<Upload />} disabled={isOffline} onClick={show}>
          Import database
        </Button>
      </AccessRow>
      {dialog.open && <ImportDialog {...dialog} site={site} />}
    </>
  )
}

function DatabasePassword({ site }: { site: Site }) {
  const isOffline = useServerOffline(site)
  const secret = useSecret(async () => (await readDatabasePassword(site)).password)
  if (secret.shown !== undefined)
    return <Secret what="the database password" text={secret.shown} onHide={secret.hide} />
  return (
    <>
      <AccessRow
        name="Database password"
        about="Read from the server. The activity log records that you saw it."
      >
        <Button
          needs="secrets"
          icon={<Eye />}
          disabled={isOffline}
          busy={secret.isBusy}
          onClick={secret.read}
        >
          Show database password
        </Button>
      </AccessRow>
      {secret.error && <Failure error={secret.error} />}
    </>
  )
}

interface DatabaseRightsProps {
  site: Site
  canChange: boolean
}

const TABLES = 'Its account can use its own tables, which is all that WordPress needs.'
const ROUTINES =
  'Its account can also create views, stored routines, triggers and events, which a few plugins need.'
const MORE =
  'Turn this on only if a plugin reports that it cannot create a view, routine, trigger or event. Code in the database runs with the rights of this site.'
const FEWER =
  'Views, routines, triggers and events that exist stay in the database, but plugins that depend on them can stop working. Open connections of the site end.'

/** What the account of the site's database can create, and the switch for it. */
function DatabaseRights({ site, canChange }: DatabaseRightsProps) {
  const { dialog, show } = useDialog()
  const isOn = site.database_routines
  const action = isOn ? 'Allow tables only' : 'Allow views and routines'
  return (
    <>
      {isOn ? 'tables, views and routines' : 'tables only'}
      <p className="text-xs text-muted">{isOn ? ROUTINES : TABLES}</p>
      {canChange && (
        <Button
          needs="operate"
          className="mt-1.5 max-w-full shrink! whitespace-normal!"
          onClick={show}
        >
          {action}
        </Button>
      )}
      <WorkDialog
        {...dialog}
        title={`${action} in the database of ${unicodeOf(site.domain)}?`}
        about={isOn ? FEWER : MORE}
        site={site}
        work={changeSite(site, { database_routines: !isOn })}
        action={action}
      />
    </>
  )
}

/** The whole database as a compressed file; the databases of the demo are simulated. */
function ExportRow({ site }: { site: Site }) {
  const [count, setCount] = useState(0)
  return (
    <>
      <AccessRow
        name="Export"
        about="All tables as a compressed SQL file, without views and routines. The activity log records it."
      >
        {isDemo ? (
          <Button
            needs="secrets"
            icon={<Download />}
            disabled
            title="The databases of the demo are simulated"
          >
            Export database
          </Button>
        ) : (
          <Button
            needs="secrets"
            icon={<Download />}
            onClick={() => startDownload(exportAddress(site), () => setCount(count + 1))}
          >
            Export database
          </Button>
        )}
      </AccessRow>
      <ExportProgress site={site} count={count} />
    </>
  )
}

/** The browser does not know how long the file will be. */
function ExportProgress({ site, count }: { site: Site; count: number }) {
  const { data } = useQuery(exportQuery(site, count))
  if (!data) return null
  const { bytes, total } = data
  const isKnown = total >= bytes
  return (
    <div className="flex items-center gap-3">
      {isKnown && <ProgressBar label="Export" total={total} parts={{ busy: bytes }} />}
      <span className="text-xs text-muted tabular-nums">
        {isKnown
          ? `${formatBytes(bytes)} of about ${formatBytes(total)}`
          : `${formatBytes(bytes)} until now`}
      </span>
    </div>
  )
}

/** Uploads a dump with its progress, then starts the import. */
function ImportDialog({ site, ...dialog }: DialogState & { site: Site }) {
  const [dump, setDump] = useState<Dump>()
  const [replace, setReplace] = useState(false)
  const [without_backup, setWithout] = useState(false)
  const [sent, setSent] = useState<number>()
  const show = useStart(site.id)
  const uploading = useRef<AbortController>(undefined)
  // A dialog that is closed must not start the import later.
  useEffect(() => () => uploading.current?.abort(), [])
  const problem = dump && problemOf(dump.file)
  const start = async (work: SiteWork) => {
    const controller = new AbortController()
    uploading.current = controller
    const { signal } = controller
    const ended = () => setSent(undefined)
    if (dump) await uploadDump(site, dump, { onProgress: setSent, signal }).finally(ended)
    await show(work)
  }
  return (
    <WorkDialog
      {...dialog}
      title={`Import a dump into the database of ${unicodeOf(site.domain)}`}
      about="The statements run with the rights of this site. PHP stops meanwhile; visitors see pages of the page cache, or an error. Addresses in the dump stay as they are."
      site={site}
      work={
        dump && problem === undefined
          ? importDump(site, dump, { replace, without_backup })
          : undefined
      }
      action="Import database"
      isDestructive
      start={start}
    >
      <Field
        label="Dump"
        name="dump"
        hint="A file that ends in .sql or .sql.gz, with tables only."
        error={problem}
      >
        <Input
          type="file"
          accept=".sql,.gz"
          onChange={({ target }) => setDump(target.files?.[0] && dumpIn(target.files[0]))}
        />
      </Field>
      <CheckField
        label="Remove all current tables first"
        about="Otherwise tables that the dump does not have stay."
        checked={replace}
        onChange={setReplace}
      />
      <BeforeChange
        site={site}
        label="Import without a backup"
        checked={without_backup}
        onChange={setWithout}
      />
      {dump && sent !== undefined && (
        <div className="flex items-center gap-3">
          <ProgressBar label="Upload" total={dump.file.size} parts={{ busy: sent }} />
          <span className="text-xs text-muted tabular-nums">
            {formatBytes(sent)} of {formatBytes(dump.file.size)}
          </span>
        </div>
      )}
    </WorkDialog>
  )
}

/** The tables in the browser; the databases of the demo are simulated. */
function ToolRow({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  return (
    <>
      <AccessRow
        name="Adminer"
        about="Shows and changes tables in the browser, for an hour, with a temporary user."
      >
        <Button
          needs="secrets"
          icon={<Table />}
          disabled={isOffline || isDemo}
          {...(isDemo && { title: 'The databases of the demo are simulated' })}
          onClick={show}
        >
          Open Adminer
        </Button>
      </AccessRow>
      {dialog.open && <OpenToolDialog {...dialog} site={site} />}
    </>
  )
}

/** Opens Adminer in a new tab. Asks for the password of the dashboard if that is needed. */
function OpenToolDialog({ site, open, onClose }: DialogState & { site: Site }) {
  const [rights, setRights] = useState<UserRights>('read')
  const { form, passwordField } = useConfirmedCall((confirm) => inNewTab(site, rights, confirm), {
    changes: [['site', site.id, 'database-users']],
    onSuccess: onClose,
    onClose,
  })
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Adminer for ${unicodeOf(site.domain)}`}
      about="Opens the database in a new tab, without its password. The session ends after an hour, when you log out, or when you end its temporary user. The activity log records it."
    >
      <DialogForm action="Open Adminer" {...form}>
        <RightsField value={rights} onChange={setRights} />
        {passwordField}
      </DialogForm>
    </Dialog>
  )
}

/** The tab opens at once: a browser blocks one that opens without a click. */
async function inNewTab(
  site: Site,
  rights: UserRights,
  confirm: () => Promise<void>,
): Promise<void> {
  const tab = window.open('', '_blank')
  if (!tab) throw new Error('The browser blocked the new tab: allow pop-ups of this dashboard')
  try {
    await confirm()
    const { url } = await openDatabaseTool(site, rights)
    tab.opener = null
    tab.location.replace(url)
  } catch (error) {
    tab.close()
    throw error
  }
}
