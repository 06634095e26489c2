// Runs xml5tree with Pyodide, so that the page stays usable meanwhile.
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function start() {
  const pyodide = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const load = async (name) => {
    const answer = await fetch(new URL(name, import.meta.url));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  };
  const [archive, code] = await Promise.all([load("xml5tree.zip"), load("examine.py")]);
  pyodide.unpackArchive(await archive.arrayBuffer(), "zip");
  pyodide.runPython(await code.text());
  return pyodide.globals.get("examine");
}

const ready = start();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ missing: String(error) }),
);

onmessage = async ({ data }) => {
  const examine = await ready;
  try {
    postMessage({ found: JSON.parse(examine(JSON.stringify(data.request))) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
