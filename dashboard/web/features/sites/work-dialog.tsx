import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { useRefreshRecords } from './dns-choice.tsx'
import { PlanPreview } from './plan-preview.tsx'
import { useStart } from './use-show-operation.ts'
import { useWorkConsent } from './use-work-consent.tsx'

interface WorkDialogProps extends DialogState {
  title: string
  about: string
  site: { id: number; domain: string }
  /** The work to start; undefined until the user has chosen. */
  work: SiteWork | undefined
  /** The label of the button. */
  action: string
  /** It removes something. */
  isDestructive?: boolean
  /** It cannot be undone: the user types the domain. */
  isPermanent?: boolean
  /** Default: starts the work and shows its operation on the page of the site. */
  start?: ((work: SiteWork) => Promise<unknown>) | undefined
  /** The fields of the choice. */
  children?: ReactNode
}

/** The choices, the plan in one line, and the button that starts the work. */
export const WorkDialog = dialogOf(Form, ({ title, about }) => ({ title, about }))

function Form({ site, work, action, start, children, onClose, ...props }: WorkDialogProps) {
  const { isPermanent = false, isDestructive = isPermanent } = props
  const show = useStart(site.id)
  const { mutate, isPending, error } = useMutation({
    mutationFn: start ?? show,
    onSuccess: onClose,
    onError: useRefreshRecords(),
  })
  const consent = useWorkConsent(work)
  return (
    <DialogForm
      action={action}
      onSubmit={() => work && mutate({ ...work, ...consent.accepting })}
      onCancel={onClose}
      isBlocked={work === undefined || consent.isOpen}
      isBusy={isPending}
      error={error}
      isDestructive={isDestructive}
      typed={isPermanent ? unicodeOf(site.domain) : undefined}
    >
      {children}
      {work && <PlanPreview work={work} />}
      {consent.question}
    </DialogForm>
  )
}
