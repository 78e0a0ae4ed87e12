import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { type CallOptions, useAction } from './use-call.ts'

interface ActionButtonProps<R>
  extends Omit<ComponentProps<typeof Button>, 'onClick' | 'busy'>,
    CallOptions<R> {
  call: () => Promise<R>
}

/** A button that makes a call, and shows its outcome as a message. */
export function ActionButton<R>(options: ActionButtonProps<R>) {
  const { call, done, changes, onSuccess, onDone, ...props } = options
  const { run, isBusy } = useAction(call, { done, changes, onSuccess, onDone })
  return <Button {...props} busy={isBusy} onClick={() => run()} />
}
