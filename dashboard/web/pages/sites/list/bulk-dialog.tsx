import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NewBulk, planBulk, startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { useConsent } from '#dashboard/web/features/operations/use-consent.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { BulkTarget, SkippedTarget } from '#shared/operations/api/bulk-operations.ts'
import type { BulkAction } from './bulk-action.ts'
import { InstallPhp } from './install-php.tsx'

interface BulkDialogProps {
  /** The bulk action of the dialog; undefined when the dialog is closed. */
  action: BulkAction | undefined
  ids: ReadonlySet<number>
  onClose: () => void
  onStarted: () => void
}

/** Asks for the parameter, shows the targets, and starts the bulk operation. */
export function BulkDialog({ action, ...props }: BulkDialogProps) {
  const title = `${action?.name ?? ''}: ${formatCount(props.ids.size, 'site')}`
  const { onClose } = props
  return (
    <Dialog open={action !== undefined} onClose={onClose} title={title} about={action?.about}>
      {action && <Form key={action.name} action={action} {...props} />}
    </Dialog>
  )
}

function Form({ action, ids, onClose, onStarted }: BulkDialogProps & { action: BulkAction }) {
  const { type, param, isDestructive, name } = action
  const chosen = useChosen(action)
  const { params, isChosen } = chosen
  const [parallel, setParallel] = useState<1 | 2 | 4 | 8 | 16>(4)
  const openBulk = useOpenBulk()
  const bulk = { type, params, targets: { site_ids: [...ids] } }
  const consent = useConsent(bulk, isChosen)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      startBulk({
        ...bulk,
        params: { ...params, ...consent.params },
        parallel,
      }),
    onSuccess: async (bulk_id) => {
      await openBulk(bulk_id)
      onStarted()
    },
  })
  const { data: planned } = useTargets(bulk, isChosen)
  const count = planned?.targets.length ?? ids.size
  const sites = formatCount(count, 'site')
  const refusals = refusalsIn(error)
  const isShown = param !== undefined && refusals[param.name] !== undefined
  return (
    <DialogForm
      action={isDestructive ? `Move ${sites} to trash` : `${name}: ${sites}`}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={!isChosen || count === 0 || consent.isOpen}
      isBusy={isPending}
      error={
        refusals.targets ? new Error(`These sites: ${refusals.targets}`) : isShown ? null : error
      }
      isDestructive={isDestructive === true}
      typed={isDestructive && `delete ${count}`}
    >
      <ParamFields action={action} chosen={chosen} refusals={refusals} />
      <BulkTargets targets={planned?.targets} skipped={planned?.skipped ?? []} />
      {type === 'site.update' && planned && chosen.value !== '' && (
        <InstallPhp php={chosen.value} targets={planned.targets} />
      )}
      {consent.question}
      <SelectField
        label="Parallel operations"
        name="parallel"
        hint="On at most two sites of a server. It pauses after three failures in a row."
        value={parallel}
        options={named(1, 2, 4, 8, 16)}
        onChange={setParallel}
      />
    </DialogForm>
  )
}

/** The current targets, and the skipped sites. */
const useTargets = (bulk: NewBulk, enabled: boolean) =>
  useQuery({
    queryKey: ['bulk-targets', bulk],
    queryFn: () => planBulk(bulk),
    enabled,
    refetchInterval: false,
    gcTime: 0,
  })

const MAX_SHOWN = 200

interface BulkTargetsProps {
  /** The targets of the bulk action; undefined until they are known. */
  targets: readonly BulkTarget[] | undefined
  skipped: readonly SkippedTarget[]
}

/** The current targets, and the skipped sites with the reason. */
function BulkTargets({ targets, skipped }: BulkTargetsProps) {
  const servers = new Set(targets?.map(({ server_id }) => server_id)).size
  const on = formatCount(servers, 'server', 'servers')
  return (
    <>
      <details className="rounded-lg border border-line bg-sunken">
        <summary className="cursor-pointer px-3 py-2">
          Which sites
          {targets && ` (${formatNumber(targets.length)} on ${on})`}
        </summary>
        {targets && <List of={targets} />}
      </details>
      {skipped.length > 0 && (
        <Notice
          kind="warn"
          title={`${formatCount(skipped.length, 'site is', 'sites are')} skipped`}
        >
          <details>
            <summary className="cursor-pointer">
              Found on their servers, not created by Hosting Control
            </summary>
            <List of={skipped} />
          </details>
        </Notice>
      )}
    </>
  )
}

function List({ of }: { of: readonly BulkTarget[] }) {
  return (
    <ul className="max-h-48 overflow-y-auto border-t border-line px-3 py-2 text-xs">
      {of.slice(0, MAX_SHOWN).map(({ site_id, domain }) => (
        <li key={site_id} className="truncate">
          {unicodeOf(domain)}
        </li>
      ))}
      {of.length > MAX_SHOWN && <li>and {formatNumber(of.length - MAX_SHOWN)} more</li>}
    </ul>
  )
}

/** The parameters of a bulk operation, as its fields have them. */
function useChosen({ param, fields }: BulkAction) {
  const [value, setValue] = useState('')
  const [fieldParams, setFieldParams] = useState<Record<string, unknown>>()
  const params = fields ? (fieldParams ?? {}) : paramsOf(param, value)
  const isChosen = fields ? fieldParams !== undefined : !param || value !== ''
  return { value, setValue, setFieldParams, params, isChosen }
}

function paramsOf(param: BulkAction['param'], value: string): Record<string, unknown> {
  if (!param) return {}
  return { [param.name]: param.toParam ? param.toParam(value) : value }
}

interface ParamFieldsProps {
  action: BulkAction
  chosen: ReturnType<typeof useChosen>
  refusals: Record<string, string>
}

function ParamFields({ action, chosen, refusals }: ParamFieldsProps) {
  const { param, fields: Fields } = action
  if (Fields) return <Fields onChange={chosen.setFieldParams} />
  if (!param) return null
  return (
    <SelectField
      label={param.label}
      name={param.name}
      error={refusals[param.name]}
      value={chosen.value}
      options={[{ value: '', name: 'Choose…' }, ...param.options]}
      onChange={chosen.setValue}
    />
  )
}
