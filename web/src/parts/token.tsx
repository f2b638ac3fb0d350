import { keepToken } from "../source/http";

/** A tab without a token keeps its address and asks for it. */
export function AskForToken({ wrong = false }: { wrong?: boolean }) {
  const take = (event: SubmitEvent) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget as HTMLFormElement);
    const given = String(words.get("token") ?? "").trim();
    const token = given.includes("token=") ? given.slice(given.indexOf("token=") + "token=".length) : given;
    if (!token) return;
    keepToken(token);
    location.reload();
  };
  return (
    <main class="token">
      <h1>{wrong ? "This is not the token of this server." : "This tab has no token."}</h1>
      <p>
        <code>heldup serve</code> prints an address that ends in <code>#token=…</code>. Paste it here; this
        view stays.
      </p>
      <form onSubmit={take}>
        <input
          name="token"
          class="input"
          aria-label="token, or the address with it"
          autocomplete="off"
          spellcheck={false}
        />{" "}
        <button type="submit" class="btn">
          open
        </button>
      </form>
    </main>
  );
}
