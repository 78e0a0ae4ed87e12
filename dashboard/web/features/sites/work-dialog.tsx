import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SiteWork } from '#dashboard/web/api/site-work.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, DialogFooter } from '#dashboard/web/ui/dialog.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { TypedName } from '#dashboard/web/ui/typed-name.tsx'
import { PlanPreview } from './plan-preview.tsx'
import { useBegin } from './use-begin.ts'
import { useWorkConsent } from './use-work-consent.tsx'

interface WorkDialogProps {
  open: boolean
  onClose: () => void
  title: string
  about: string
  site: { id: number; domain: string }
  /** Undefined while something is to be chosen. */
  work: SiteWork | undefined
  /** What the button says. */
  action: string
  /** The domain is to be typed. */
  isDestructive?: boolean
  /** What is to be chosen. */
  children?: ReactNode
}

/** What is to be chosen, what would be done on the server, and the button that does it. */
export function WorkDialog({ open, onClose, title, about, ...props }: WorkDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} about={about} wide>
      {open && <Form {...props} onClose={onClose} />}
    </Dialog>
  )
}

type FormProps = Pick<
  WorkDialogProps,
  'site' | 'work' | 'action' | 'isDestructive' | 'children'
> & { onClose: () => void }

function Form({ site, work, action, isDestructive = false, children, onClose }: FormProps) {
  const [typed, setTyped] = useState('')
  const begin = useBegin(site.id)
  const { mutate, isPending, error } = useMutation({ mutationFn: begin, onSuccess: onClose })
  const consent = useWorkConsent(work)
  const isNamed = !isDestructive || typed.trim() === site.domain
  const isReady = work !== undefined && isNamed && !consent.isOpen
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady && !isPending) mutate({ ...work, ...consent.accepting })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {children}
      {work && <PlanPreview work={work} />}
      {consent.question}
      <DialogFooter
        onCancel={onClose}
        above={
          <>
            {isDestructive && <TypedName of={site.domain} value={typed} onChange={setTyped} />}
            {error && <Failure error={error} />}
          </>
        }
      >
        <Button
          type="submit"
          kind={isDestructive ? 'danger' : 'primary'}
          disabled={!isReady}
          busy={isPending}
        >
          {action}
        </Button>
      </DialogFooter>
    </form>
  )
}
