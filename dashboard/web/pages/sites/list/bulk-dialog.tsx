import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { beginBulk, planBulk, type SitesBulk } from '#dashboard/web/api/bulk.ts'
import { ApiError } from '#dashboard/web/api/client.ts'
import { useConsent } from '#dashboard/web/features/consent/use-consent.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { BulkAction } from './bulk-actions.ts'
import { BulkTargets } from './bulk-targets.tsx'

interface BulkDialogProps {
  /** Undefined: closed. */
  action: BulkAction | undefined
  ids: ReadonlySet<number>
  onClose: () => void
  onBegun: () => void
}

/** Asks for the parameter, shows the targets, and starts the bulk operation. */
export function BulkDialog({ action, ids, onClose, onBegun }: BulkDialogProps) {
  const title = `${action?.name ?? ''}: ${sitesOf(ids.size)}`
  return (
    <Dialog open={action !== undefined} onClose={onClose} title={title} about={action?.about}>
      {action && (
        <Form
          key={action.type}
          action={action}
          ids={[...ids]}
          onClose={onClose}
          onBegun={onBegun}
        />
      )}
    </Dialog>
  )
}

type FormProps = { action: BulkAction; ids: number[]; onClose: () => void; onBegun: () => void }

function Form({ action, ids, onClose, onBegun }: FormProps) {
  const { type, param, isDestructive, name } = action
  const [value, setValue] = useState('')
  const [parallel, setParallel] = useState('4')
  const navigate = useNavigate()
  const params = param ? { [param.name]: value } : {}
  const isChosen = !param || value !== ''
  const consent = useConsent({ type, params, targets: { site_ids: ids } }, isChosen)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      beginBulk(
        { type, params: { ...params, ...consent.params }, site_ids: ids },
        Number(parallel),
      ),
    onSuccess: async (bulk_id) => {
      await navigate({ to: '/operations/bulk/$bulk_id', params: { bulk_id } })
      onBegun()
    },
  })
  const { targets, skipped, count } = usePlanned({ type, params, site_ids: ids }, isChosen)
  const fields = error instanceof ApiError ? error.fields : {}
  const isShown = param !== undefined && fields[param.name] !== undefined
  return (
    <DialogForm
      action={isDestructive ? `Move ${sitesOf(count)} to trash` : `${name}: ${sitesOf(count)}`}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBlocked={!isChosen || count === 0 || consent.isOpen}
      isBusy={isPending}
      error={fields.targets ? new Error(`These sites: ${fields.targets}`) : isShown ? null : error}
      isDestructive={isDestructive === true}
      typed={isDestructive && `delete ${count}`}
    >
      {param && (
        <Field label={param.label} name={param.name} error={fields[param.name]}>
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
      <BulkTargets targets={targets} skipped={skipped} />
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

/** The current targets. */
function usePlanned(bulk: SitesBulk, enabled: boolean) {
  const { data } = useQuery({
    queryKey: ['bulk-targets', bulk],
    queryFn: () => planBulk(bulk),
    enabled,
    refetchInterval: false,
    gcTime: 0,
  })
  const { targets, skipped = [] } = data ?? {}
  return { targets, skipped, count: targets?.length ?? bulk.site_ids.length }
}

const sitesOf = (count: number) => `${formatNumber(count)} ${count === 1 ? 'site' : 'sites'}`
