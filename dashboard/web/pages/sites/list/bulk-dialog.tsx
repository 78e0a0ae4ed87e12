import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NewBulk, planBulk, startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { useConsent } from '#dashboard/web/features/consent/use-consent.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import type { BulkAction } from './bulk-actions.ts'
import { BulkTargets } from './bulk-targets.tsx'

interface BulkDialogProps {
  /** Undefined: closed. */
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
      {action && <Form key={action.type} action={action} {...props} />}
    </Dialog>
  )
}

function Form({ action, ids, onClose, onStarted }: BulkDialogProps & { action: BulkAction }) {
  const { type, param, isDestructive, name } = action
  const [value, setValue] = useState('')
  const [parallel, setParallel] = useState('4')
  const openBulk = useOpenBulk()
  const params = param ? { [param.name]: value } : {}
  const isChosen = !param || value !== ''
  const bulk = { type, params, targets: { site_ids: [...ids] } }
  const consent = useConsent(bulk, isChosen)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      startBulk({
        ...bulk,
        params: { ...params, ...consent.params },
        parallel: Number(parallel),
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
      {param && (
        <Field label={param.label} name={param.name} error={refusals[param.name]}>
          <Select value={value} onChange={(event) => setValue(event.target.value)}>
            <option value="">Choose…</option>
            {param.options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <BulkTargets targets={planned?.targets} skipped={planned?.skipped ?? []} />
      {consent.question}
      <Field
        label="Parallel operations"
        name="parallel"
        hint="On at most two sites of a server. It pauses after three failures in a row."
      >
        <Select value={parallel} onChange={(event) => setParallel(event.target.value)}>
          {['1', '2', '4', '8', '16'].map((count) => (
            <option key={count}>{count}</option>
          ))}
        </Select>
      </Field>
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
