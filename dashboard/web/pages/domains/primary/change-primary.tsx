import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { primaryPreviewQuery, setPrimary } from '#dashboard/web/api/domains.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { LeftAddresses } from '#dashboard/web/features/operations/addresses.tsx'
import { useOutcome } from '#dashboard/web/features/operations/use-outcome.ts'
import { useDnsChoice, useRefreshRecords } from '#dashboard/web/features/sites/dns-choice.tsx'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
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
export const ChangePrimary = dialogOf(
  (props: ChangePrimaryProps) => <Form key={props.name} {...props} />,
  ({ site }) => ({
    wide: true,
    title: `Primary domain of ${unicodeOf(site.domain)}`,
    about:
      'WordPress, its links and its certificate get another name. System user, folders and database stay.',
  }),
)

function Form({ site, name, onClose }: ChangePrimaryProps) {
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
    mutationFn: show,
    onSuccess: onClose,
    onError: useRefreshRecords(),
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
      <PrimaryFields current={site.domain} value={choice} onChange={setChoice} />
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

const FORMER = optionsOf<NewPrimary['former']>({
  redirect: 'Redirect to the new primary domain (301)',
  alias: 'Keep as an alias that shows the site',
  none: 'Remove from the site',
})

interface PrimaryFieldsProps {
  /** The present primary domain. */
  current: string
  value: Choice
  onChange: (choice: Choice) => void
}

const PrimaryFields = ({ current, value, onChange }: PrimaryFieldsProps) => (
  <>
    <TextField
      label="New primary domain"
      name="primary"
      hint="An alias, a redirect, or a new name. Its DNS records must point to this server."
      data-first
      value={value.primary}
      placeholder="shop.example.net"
      autoCapitalize="none"
      inputMode="url"
      onChange={(primary) => onChange({ ...value, primary })}
    />
    <SelectField
      label={`What happens to ${current}`}
      name="former"
      value={value.former}
      options={FORMER}
      onChange={(former) => onChange({ ...value, former })}
    />
  </>
)

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
  const { result: found, problem } = useOutcome(operation_id, Report, 'The report cannot be read')
  const { data: operation } = useQuery(operationQuery(operation_id))
  // Until its record has ended, the site has no plan.
  const isKnown = found !== undefined && operation !== undefined && !isActive(operation)
  useEffect(() => onKnown(isKnown), [isKnown, onKnown])
  if (found) return <Replacements report={found} />
  if (problem !== undefined)
    return (
      <Notice kind="bad" title="The change cannot be made">
        {problem}
      </Notice>
    )
  return (
    <p role="status" className="text-muted">
      Reading the database. This takes some minutes for a large one…
    </p>
  )
}

function Replacements({ report }: { report: Report }) {
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
          <RecordTable
            label="Tables with addresses"
            rows={tables.flatMap(({ name, columns }) =>
              columns.map((column) => ({ ...column, place: `${name}.${column.name}` })),
            )}
            keyOf={({ place }) => place}
            columns={[
              {
                name: 'Table and column',
                className: 'break-all',
                show: ({ place }) => <code>{place}</code>,
              },
              { name: 'Values', isNumber: true, show: ({ values }) => formatNumber(values) },
              { name: 'Addresses', isNumber: true, show: ({ replaced }) => formatNumber(replaced) },
              {
                name: 'In serialised PHP',
                isNumber: true,
                className: 'max-sm:hidden',
                show: ({ serialized }) => formatNumber(serialized),
              },
            ]}
          />
        </div>
      )}
      {report.left.length > 0 && <LeftAddresses left={report.left} />}
    </section>
  )
}
