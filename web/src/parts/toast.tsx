import { toast } from "../store";

export function Toast() {
  return (
    <div class={toast.value ? "toast" : ""} role="status">
      {toast.value}
    </div>
  );
}
