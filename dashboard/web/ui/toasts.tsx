import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { messageOf } from '#dashboard/web/api/client.ts'

const toasts = Toast.createToastManager()
const UNDO_MS = 10_000

interface ToastOptions {
  /** It stays until it is closed. */
  error?: boolean
  /** Offered for ten seconds, or as long as `while` is pending if that is longer. */
  undo?: { name: string; act: () => void; while?: Promise<unknown> }
}

/** Shows the result of an action for a few seconds. */
export function toast(title: string, { error = false, undo }: ToastOptions = {}): void {
  const id = toasts.add({
    title,
    type: error ? 'error' : 'success',
    timeout: error || undo?.while ? 0 : undo ? UNDO_MS : 5_000,
    ...(undo && {
      actionProps: {
        children: undo.name,
        onClick: () => {
          toasts.close(id)
          undo.act()
        },
      },
    }),
  })
  const shown = new Promise((resolve) => setTimeout(resolve, UNDO_MS))
  if (undo?.while) void Promise.allSettled([undo.while, shown]).then(() => toasts.close(id))
}

/** Shows why an action failed. */
export const toastError = (error: unknown): void => toast(messageOf(error), { error: true })

export function Toasts() {
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-60 flex w-[calc(100vw-2rem)] flex-col gap-2 sm:w-96">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts: shown } = Toast.useToastManager()
  return shown.map((each) => (
    <Toast.Root
      key={each.id}
      toast={each}
      // It is a message, not a dialog.
      role={each.type === 'error' ? 'alert' : 'status'}
      render={({ 'aria-modal': _, ...props }) => <div {...props} />}
      // Of more than three the oldest are inert.
      className="rounded-lg border border-line bg-raised shadow-lg transition data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0 data-limited:hidden data-[type=error]:border-bad"
    >
      <Toast.Content className="flex items-start gap-3 p-3">
        <Toast.Title className="min-w-0 flex-1 break-words" />
        {each.actionProps && (
          <Toast.Action className="rounded-md px-2 font-medium text-accent hover:bg-sunken" />
        )}
        {/* By default it is hidden from assistive technology until the pile of toasts is spread out. */}
        <Toast.Close
          aria-hidden={false}
          aria-label="Dismiss"
          className="rounded-md p-0.5 text-muted hover:bg-sunken"
        >
          <X className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
