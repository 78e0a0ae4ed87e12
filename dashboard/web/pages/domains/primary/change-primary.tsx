import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { primaryPreviewQuery, setPrimary } from '#dashboard/web/api/domains.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import type { Site, SitePlace } from '#dashboard/web/api/sites.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { LeftAddresses } from '#dashboard/web/features/operations/addresses.tsx'
import { useDnsChoice, useShowRecordsAnew } from '#dashboard/web/features/sites/dns-choice.tsx'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import type { NewPrimary } from '#shared/domains/primary-domain.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'

interface ChangePrimaryProps extends DialogState {
  site: Site
  /** The name to begin with; empty: a new one. */
  name: string
}

/** The name, then what would change, then the change itself. */
export function ChangePrimary({ site, name, open, onClose }: ChangePrimaryProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title={`Primary domain of ${unicodeOf(site.domain)}`}
      about="WordPress, its links and its certificate get another name. System user, folders and database stay."
    >
      {open && <Form key={name} site={site} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ site, name, onClose }: Omit<ChangePrimaryProps, 'open'>) {
  const [choice, setChoice] = useState<Choice>({ primary: name, former: 'redirect' })
  const [previewed, setPreviewed] = useState<string>()
  const [isKnown, setIsKnown] = useState(false)
  const [without_backup, setWithoutBackup] = useState(false)
  const primary = choice.primary.trim()
  const isPreviewed = primary !== '' && previewed === primary
  const records = useDnsChoice(site.server_id, isPreviewed && isKnown ? pairOf(primary) : [])
  const input = { primary, former: choice.former, without_backup, ...records.chosen }
  const work = isPreviewed && isKnown && !records.isOpen ? setPrimary(site, input) : undefined
  const consent = useWorkConsent(work)
  const show = useStart(site.id)
  const { mutate, isPending, error } = useMutation({
    ...{ mutationFn: show, onSuccess: onClose, onError: useShowRecordsAnew() },
  })
  const preview = () => {
    setIsKnown(false)
    setPreviewed(primary)
  }
  return (
    <DialogForm
      action={isPreviewed ? 'Change primary domain' : 'Preview change'}
      onSubmit={() => {
        if (!isPreviewed) preview()
        else if (work) mutate({ ...work, ...consent.accepting })
      }}
      onCancel={onClose}
      isBlocked={primary === '' || (isPreviewed && (work === undefined || consent.isOpen))}
      isBusy={isPending}
      error={error}
      isDestructive={isPreviewed}
    >
      <PrimaryFields present={site.domain} value={choice} onChange={setChoice} />
      {isPreviewed && <PrimaryPreview site={site} primary={primary} onKnown={setIsKnown} />}
      {work && (
        <>
          <Notice kind="info" title="The site pauses while its database changes">
            Visitors get cached pages meanwhile. If a step fails, the site keeps its current domain.
            To undo the change later, make the former name primary again.
          </Notice>
          <BeforeChange
            site={site}
            label="Change without a backup"
            checked={without_backup}
            onChange={setWithoutBackup}
          />
          {records.fields}
          <PlanPreview work={work} />
        </>
      )}
      {consent.question}
    </DialogForm>
  )
}

type Choice = NewPrimary

const FORMER: Record<NewPrimary['former'], string> = {
  redirect: 'Redirect to the new primary domain (301)',
  alias: 'Keep as an alias that shows the site',
  none: 'Remove from the site',
}

const isFormer = (value: string): value is NewPrimary['former'] => Object.hasOwn(FORMER, value)

interface PrimaryFieldsProps {
  /** The present primary domain. */
  present: string
  value: Choice
  onChange: (choice: Choice) => void
}

function PrimaryFields({ present, value, onChange }: PrimaryFieldsProps) {
  return (
    <>
      <Field
        label="New primary domain"
        name="primary"
        hint="An alias, a redirect, or a new name. Its DNS records must point to this server."
      >
        <Input
          data-first
          value={value.primary}
          placeholder="shop.example.net"
          autoCapitalize="none"
          inputMode="url"
          onChange={({ target }) => onChange({ ...value, primary: target.value })}
        />
      </Field>
      <Field label={`What happens to ${present}`} name="former">
        <Select
          value={value.former}
          onChange={({ target }) => {
            if (isFormer(target.value)) onChange({ ...value, former: target.value })
          }}
        >
          {Object.entries(FORMER).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}

const Report = OPERATION_TYPES['site.rename-preview'].outcome.result
type Report = z.output<typeof Report>

interface PreviewProps {
  site: SitePlace
  primary: string
  /** Called with true as soon as the report is there. */
  onKnown: (isKnown: boolean) => void
}

/** Reads the database, and shows what the change would replace and what would stay. */
function PrimaryPreview({ site, primary, onKnown }: PreviewProps) {
  const started = useQuery(primaryPreviewQuery(site, primary))
  if (started.data === undefined) return <QueryState of={started} />
  return <Followed key={started.data} operation_id={started.data} onKnown={onKnown} />
}

function Followed({
  operation_id,
  onKnown,
}: Pick<PreviewProps, 'onKnown'> & { operation_id: string }) {
  const { events } = useEvents(`/api/operations/${operation_id}/events`)
  const end = events.find(({ event }) => event === 'complete' || event === 'error')
  const found = end?.event === 'complete' ? Report.safeParse(end.data).data : undefined
  const { data: operation } = useQuery(operationQuery(operation_id))
  // Until its record has ended, the site has no plan.
  const isKnown = found !== undefined && operation !== undefined && !isActive(operation)
  useEffect(() => onKnown(isKnown), [isKnown, onKnown])
  if (found) return <Shown report={found} />
  if (end)
    return (
      <Notice kind="bad" title="The change cannot be made">
        {String(end.data.message ?? end.data.error ?? 'The report cannot be read')}
      </Notice>
    )
  return (
    <p role="status" className="text-muted">
      Reading the database. This takes some minutes for a large one…
    </p>
  )
}

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

function Shown({ report }: { report: Report }) {
  const { tables, files } = report
  return (
    <section aria-label="Preview" className="flex flex-col gap-3">
      <p className="font-medium">
        {formatCount(report.replaced, 'address', 'addresses')} would change in{' '}
        {formatCount(tables.length, 'table')}
        {files.length > 0 && ` and in ${files.join(', ')}`}
      </p>
      {tables.length > 0 && (
        <div className="max-h-72 overflow-y-auto rounded-lg border border-line">
          <Table
            label="Tables with addresses"
            head={
              <>
                <Head>Table and column</Head>
                <Head className={NUMBER}>Values</Head>
                <Head className={NUMBER}>Addresses</Head>
                <Head className={`${NUMBER} max-sm:hidden`}>In serialised PHP</Head>
              </>
            }
          >
            {tables.flatMap(({ name, columns }) =>
              columns.map((column) => (
                <tr key={`${name}.${column.name}`}>
                  <Cell className="break-all">
                    <code>
                      {name}.{column.name}
                    </code>
                  </Cell>
                  <Cell className={NUMBER}>{formatNumber(column.values)}</Cell>
                  <Cell className={NUMBER}>{formatNumber(column.replaced)}</Cell>
                  <Cell className={`${NUMBER} max-sm:hidden`}>
                    {formatNumber(column.serialized)}
                  </Cell>
                </tr>
              )),
            )}
          </Table>
        </div>
      )}
      {report.left.length > 0 && <LeftAddresses left={report.left} />}
    </section>
  )
}
